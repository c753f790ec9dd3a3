import { type Clock, ModelError } from "@capstan/core";
import type { EmbeddingOutcome, EmbeddingRequest } from "@capstan/core/host";
import { knownProvider } from "./configured-providers.ts";
import type { Provider } from "./request/provider.ts";
import { failedResponse } from "./stream/failed-response.ts";
import { toModelError } from "./stream/to-model-error.ts";

interface EmbeddingOptions {
  /** The configured providers, in order of preference. */
  readonly providers: readonly Provider[];
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** A request fails if its answer has not ended after this many milliseconds. */
  readonly limitMs: number;
}

/** An answer may have 2,048 vectors of 3,072 numbers. It is passed on without being stored. */
const maxAnswerBytes = 256_000_000;

/**
 * Requests embeddings from the provider of a model and returns its answer unchanged.
 *
 * @throws ModelError if the provider fails
 */
export async function requestEmbeddings(
  { model, fields }: EmbeddingRequest,
  signal: AbortSignal,
  { providers, fetch, clock, limitMs }: EmbeddingOptions,
): Promise<EmbeddingOutcome> {
  const slash = model.indexOf("/");
  const id = slash < 0 ? "" : model.slice(0, slash);
  const named = providers.find((each) => each.id === id);
  if (named === undefined && id === "capstan")
    return unsupported("The offline model offers no embeddings.", providers);
  const absent = named === undefined ? knownProvider(id) : undefined;
  if (absent !== undefined)
    return unsupported(`${absent.title} is not configured: set ${absent.variable}.`, providers);
  const provider = named ?? providers.find((each) => embeddingsUrl(each) !== undefined);
  const url = provider && embeddingsUrl(provider);
  if (provider === undefined || url === undefined)
    return unsupported(`${provider?.title ?? "This server"} offers no embeddings.`, providers);

  const modelName = named === undefined ? model : model.slice(slash + 1);
  const failed = (thrown: unknown): Error => {
    signal.throwIfAborted();
    const late = new ModelError({
      code: "timeout",
      message: `did not answer within ${limitMs / 1_000} s`,
    });
    const cause = isTimeout(thrown) ? late : thrown;
    return toModelError(cause, { provider, modelName, begun: false, now: clock.now() });
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(provider.key !== undefined && { authorization: `Bearer ${provider.key}` }),
      },
      body: JSON.stringify({ ...fields, model: modelName }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
    const { body } = response;
    if (response.ok && body !== null)
      return { status: "completed", body: upTo(maxAnswerBytes, body, failed) };
    const { status, headers } = response;
    throw await failedResponse({ status, headers: Object.fromEntries(headers), body });
  } catch (thrown) {
    throw failed(thrown);
  }
}

/** Returns the address for embeddings, or `undefined` if the provider does not offer them. */
function embeddingsUrl({ wire, url }: Provider): string | undefined {
  if (wire === "anthropic") return undefined;
  return `${url}${wire === "google" ? "/openai" : ""}/embeddings`;
}

function unsupported(reason: string, providers: readonly Provider[]): EmbeddingOutcome {
  const able = providers.filter((each) => embeddingsUrl(each) !== undefined);
  const remedy =
    able.length === 0
      ? "Set OPENAI_API_KEY, or CAPSTAN_MODEL_URL to a server with embeddings"
      : `Name a model of ${able.map(({ id }) => `${id}/…`).join(" or ")}`;
  return { status: "unsupported", reason: `${reason} ${remedy}.` };
}

async function* upTo(
  limit: number,
  body: AsyncIterable<Uint8Array>,
  failed: (thrown: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit) throw new Error(`The answer has more than ${limit} bytes.`);
      yield chunk;
    }
  } catch (thrown) {
    throw failed(thrown);
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "TimeoutError";
}
