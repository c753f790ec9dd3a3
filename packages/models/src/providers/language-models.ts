import { LruCache } from "@capstan/core/host";
import type { Provider } from "./request/provider.ts";
import { packageModel, type PartModel } from "./stream/part-model.ts";

export type LanguageModels = (modelName: string) => Promise<PartModel>;

/** The language models of a provider that are kept. Requests choose their names. */
const keptModels = 100;

/**
 * Returns a function that creates the language models of a provider. It loads the provider's
 * package on first use, in up to 0.25 s; OpenAI-compatible servers need none. It creates the provider
 * and each model once: creating the provider takes longer than a request, and each model of a
 * package compiles its schemas again, which takes 10 % of the processor time of a short request.
 */
export function createLanguageModels(
  provider: Provider,
  fetch: typeof globalThis.fetch | undefined,
): LanguageModels {
  const models = new LruCache<string, PartModel>(keptModels);
  let opening: Promise<(modelName: string) => PartModel> | undefined;
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
  fetch: typeof globalThis.fetch | undefined,
): Promise<(modelName: string) => PartModel> {
  const { fetchLongTexts } = await import("./request/long-texts.ts");
  const { wire, url: baseURL, key } = provider;
  const sending = fetchLongTexts(fetch ?? ((...request) => globalThis.fetch(...request)));
  // Without a key, the packages would read one from the process's environment.
  const settings = { baseURL, apiKey: key ?? "none", fetch: sending };
  switch (wire) {
    case "openai-responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const open = createOpenAI(settings);
      return (name) => packageModel(open.responses(name));
    }
    case "openai-chat": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const open = createOpenAI(settings);
      return (name) => packageModel(open.chat(name));
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const open = createAnthropic(settings);
      return (name) => packageModel(open(name));
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      const open = createGoogle(settings);
      return (name) => packageModel(open(name));
    }
    case "openai-compatible": {
      const [{ createChatModel }, { sendWithFetch, sendWithHttp }] = await Promise.all([
        import("./chat/chat-model.ts"),
        import("./chat/send-request.ts"),
      ]);
      const send = fetch === undefined ? sendWithHttp : sendWithFetch(fetch);
      return (modelName) => createChatModel({ provider, modelName, send });
    }
  }
}
