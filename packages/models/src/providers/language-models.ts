import type { LanguageModelV4 } from "@ai-sdk/provider";
import { LruCache } from "@capstan/core/host";
import type { Provider } from "./request/provider.ts";

export type LanguageModels = (modelName: string) => Promise<LanguageModelV4>;

/** The language models of a provider that are kept. Requests choose their names. */
const keptModels = 100;

/**
 * Returns a function that creates the language models of a provider. It loads the provider's
 * package on first use, in up to 0.25 s. It creates the provider and each model once: creating the
 * provider takes longer than a request, and each model object compiles its schemas again, which
 * takes 10 % of the processor time of a short request.
 */
export function createLanguageModels(
  provider: Provider,
  fetch: typeof globalThis.fetch | undefined,
): LanguageModels {
  const models = new LruCache<string, LanguageModelV4>(keptModels);
  let opening: Promise<(modelName: string) => LanguageModelV4> | undefined;
  return async (modelName) => {
    opening ??= openProvider(provider, fetch);
    const open = await opening;
    const model = models.get(modelName) ?? open(modelName);
    models.set(modelName, model);
    return model;
  };
}

async function openProvider(
  provider: Provider,
  fetch: typeof globalThis.fetch = (...request) => globalThis.fetch(...request),
): Promise<(modelName: string) => LanguageModelV4> {
  const { fetchLongTexts } = await import("./request/long-texts.ts");
  const { wire, url: baseURL, key } = provider;
  // Without a key, the packages would read one from the process's environment.
  const settings = { baseURL, apiKey: key ?? "none", fetch: fetchLongTexts(fetch) };
  switch (wire) {
    case "openai-responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const open = createOpenAI(settings);
      return (name) => open.responses(name);
    }
    case "openai-chat": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const open = createOpenAI(settings);
      return (name) => open.chat(name);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(settings);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { apiKey: _apiKey, ...rest } = settings;
      return createOpenAICompatible({
        ...rest,
        ...(key !== undefined && { apiKey: key }),
        name: provider.id,
        includeUsage: true,
        supportsStructuredOutputs: true,
      });
    }
  }
}
