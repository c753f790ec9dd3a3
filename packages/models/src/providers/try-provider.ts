import { errorMessage } from "@capstan/core/host";
import { configuredProviders, type Environment } from "./configured-providers.ts";
import type { Provider } from "./request/provider.ts";
import { listModels } from "./list-models.ts";
import { redactKeys } from "./stream/redact-keys.ts";

/** The outcome of a try. `key`: the provider rejected the key; `url`: it did not answer. */
export type ProviderTry =
  | { readonly status: "accepted" }
  | { readonly status: "failed"; readonly field: "key" | "url"; readonly message: string };

const timeoutMs = 10_000;

/**
 * Asks a provider for its models, to find out whether it accepts its key. A custom server that
 * answers but lists no models is accepted.
 *
 * @param options.environment the variables with the key and the URL
 */
export async function tryProvider({
  id,
  environment,
  fetch = globalThis.fetch,
  signal,
}: {
  readonly id: string;
  readonly environment: Environment;
  readonly fetch?: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}): Promise<ProviderTry> {
  const provider = configuredProviders(environment).find((each) => each.id === id);
  if (provider === undefined) return { status: "failed", field: "key", message: "is required." };
  let status: number | undefined;
  // A redirect would send the key to another address.
  const once: typeof globalThis.fetch = async (url, init) => {
    const response = await fetch(url, { ...init, redirect: "manual" });
    ({ status } = response);
    return response;
  };
  try {
    await listModels(provider, once, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    return { status: "accepted" };
  } catch (thrown) {
    signal.throwIfAborted();
    if (status !== undefined && isAnswer(provider, status)) return { status: "accepted" };
    return { status: "failed", ...reasonOf(provider, status, thrown) };
  }
}

/** Some servers have models and no list of them. */
function isAnswer({ id }: Provider, status: number): boolean {
  return id === "custom" && (status === 200 || status === 404 || status === 405);
}

function reasonOf(provider: Provider, status: number | undefined, thrown: unknown) {
  const { title, wire, key } = provider;
  // Google answers 400 to an invalid key.
  if (status === 401 || status === 403 || (status === 400 && wire === "google")) {
    const what = key === undefined ? "requires a key" : "rejected the key";
    return { field: "key", message: `${title} ${what} (${status}). Nothing was stored.` } as const;
  }
  const why = status === undefined ? redactKeys(causeOf(thrown), key) : `it answered ${status}`;
  return {
    field: provider.id === "custom" ? "url" : "key",
    message: `The key could not be checked, because ${title} did not list its models: ${why}. Nothing was stored. Check the address and the network, and try again.`,
  } as const;
}

function causeOf(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === "TimeoutError") return "it did not answer in time";
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return errorMessage(cause ?? thrown).slice(0, 200);
}
