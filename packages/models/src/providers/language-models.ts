import type { LanguageModelV4 } from "@ai-sdk/provider";
import { fetchLongTexts } from "./request/long-texts.ts";
import type { Provider } from "./request/provider.ts";

export type LanguageModels = (modelName: string) => Promise<LanguageModelV4>;

/**
 * The language models of a provider. Its package is loaded when the first one is asked for (up to a
 * quarter of a second), and its provider object is made once: making one for each request costs
 * more than the request.
 */
export function createLanguageModels(
  provider: Provider,
  fetch: typeof globalThis.fetch | undefined,
): LanguageModels {
  let opening: Promise<(modelName: string) => LanguageModelV4> | undefined;
  return async (modelName) => {
    opening ??= openProvider(provider, fetch);
    return (await opening)(modelName);
  };
}

async function openProvider(
  provider: Provider,
  fetch: typeof globalThis.fetch = (...request) => globalThis.fetch(...request),
): Promise<(modelName: string) => LanguageModelV4> {
  const { wire, url: baseURL, key } = provider;
  // Without a key of ours the packages would look for one in the process's environment.
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
