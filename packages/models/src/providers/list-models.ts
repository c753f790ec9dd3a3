import type { ModelEntry } from "@capstan/core/host";
import type { Provider } from "./request/provider.ts";

/**
 * Returns the chat models that a provider lists. Rejects if the provider does not answer, or
 * returns an error or an invalid list.
 */
export async function listModels(
  provider: Provider,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<readonly ModelEntry[]> {
  const { path, headers } = listRequest(provider);
  const response = await fetch(`${provider.url}${path}`, { headers, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${provider.title} answered ${response.status}`);
  }
  const body: unknown = await response.json();
  return rowsOf(body)
    .filter((row) => isChatModel(provider, row))
    .map(({ name, title }) => modelEntry(provider, name, title));
}

export function modelEntry(provider: Provider, name: string, title?: string): ModelEntry {
  const shown = title ?? (provider.id === "openai" ? name.replace(/^gpt-/, "GPT-") : name);
  return {
    id: `${provider.id}/${name}`,
    title: `${shown} (${provider.title})`,
    owner: provider.id,
    reason: provider.reason,
  };
}

function listRequest({ wire, key }: Provider): {
  readonly path: string;
  readonly headers: Record<string, string>;
} {
  switch (wire) {
    case "anthropic":
      return {
        path: "/models?limit=1000",
        headers: { "x-api-key": key ?? "", "anthropic-version": "2023-06-01" },
      };
    case "google":
      return { path: "/models?pageSize=1000", headers: { "x-goog-api-key": key ?? "" } };
    default:
      return {
        path: "/models",
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      };
  }
}

interface Row {
  readonly name: string;
  readonly title: string | undefined;
  /** The methods that the model supports; only Google sends them. */
  readonly methods: readonly unknown[] | undefined;
}

function rowsOf(body: unknown): readonly Row[] {
  const { data, models } = body as { readonly data?: unknown; readonly models?: unknown };
  const list = data ?? models;
  if (!Array.isArray(list)) throw new Error("The response has no list of models.");
  return list.flatMap((row: Partial<Record<string, unknown>> | null): readonly Row[] => {
    const id = row?.["id"] ?? row?.["name"];
    if (typeof id !== "string" || id === "") return [];
    const title = row?.["display_name"] ?? row?.["displayName"];
    const methods = row?.["supportedGenerationMethods"];
    return [
      {
        name: id.replace(/^models\//, ""),
        title: typeof title === "string" ? title : undefined,
        methods: Array.isArray(methods) ? methods : undefined,
      },
    ];
  });
}

const otherUses =
  /embed|whisper|tts|audio|speech|image|dall-e|sora|veo|imagen|lyria|moderation|transcribe|realtime|live|rerank|deep-research|computer-use|robotics|aqa$|-search|instruct-0914|^babbage|^davinci|turbo-instruct/;

/** Excludes models for images, speech and embeddings. Lists of custom servers are not filtered. */
function isChatModel({ id }: Provider, { name, methods }: Row): boolean {
  if (id === "custom") return true;
  return !otherUses.test(name) && (methods?.includes("generateContent") ?? true);
}
