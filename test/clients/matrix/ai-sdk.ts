import { loadClient } from "../installed.ts";
import { type Client, image, type Question, weather } from "./client.ts";

/** The part of `ai` that the tests use. */
interface AiSdk {
  generateText(options: object): Promise<Generated>;
  streamText(options: object): {
    readonly text: PromiseLike<string>;
    readonly output?: PromiseLike<unknown>;
    readonly experimental_partialOutputStream?: AsyncIterable<unknown>;
  };
  tool(definition: object): object;
  jsonSchema(schema: object): object;
  stepCountIs(count: number): object;
  readonly Output: { object(options: object): object };
}

interface Generated {
  readonly text: string;
}

interface OpenAiProvider {
  createOpenAI(options: object): { responses(model: string): object; chat(model: string): object };
}

interface CompatibleProvider {
  createOpenAICompatible(options: object): (model: string) => object;
}

interface OpenResponsesProvider {
  createOpenResponses(options: object): (model: string) => object;
}

/** The AI SDK in three versions, with each provider for OpenAI's APIs. */
export async function aiSdkClients(): Promise<readonly Client[]> {
  const ai5 = await loadClient<AiSdk>("ai5");
  const ai6 = await loadClient<AiSdk>("ai6");
  const ai7 = await loadClient<AiSdk>("ai");
  const openai2 = await loadClient<OpenAiProvider>("ai5-openai");
  const openai3 = await loadClient<OpenAiProvider>("ai6-openai");
  const openai4 = await loadClient<OpenAiProvider>("@ai-sdk/openai");
  const compatible = await loadClient<CompatibleProvider>("@ai-sdk/openai-compatible");
  const openResponses = await loadClient<OpenResponsesProvider>("@ai-sdk/open-responses");
  const pairs = [
    { title: "`ai` 7 with `@ai-sdk/openai` 4", sdk: ai7, provider: openai4 },
    { title: "`ai` 6 with `@ai-sdk/openai` 3", sdk: ai6, provider: openai3 },
    { title: "`ai` 5 with `@ai-sdk/openai` 2", sdk: ai5, provider: openai2 },
  ];
  const client = (
    title: string,
    api: Client["api"],
    sdk: AiSdk | undefined,
    create: ((baseURL: string, model: string) => object) | undefined,
  ): Client => ({
    title,
    api,
    ask:
      sdk && create && ((baseURL, question) => ask(sdk, create(baseURL, question.model), question)),
  });
  return [
    ...pairs.flatMap(({ title, sdk, provider }) => {
      const of =
        provider && ((baseURL: string) => provider.createOpenAI({ baseURL, apiKey: "local" }));
      return [
        client(title, "Responses", sdk, of && ((url, model) => of(url).responses(model))),
        client(title, "Chat Completions", sdk, of && ((url, model) => of(url).chat(model))),
      ];
    }),
    client(
      "`ai` 7 with `@ai-sdk/open-responses` 2",
      "Responses",
      ai7,
      openResponses &&
        ((baseURL, model) =>
          openResponses.createOpenResponses({ name: "capstan", url: `${baseURL}/responses` })(
            model,
          )),
    ),
    client(
      "`ai` 7 with `@ai-sdk/openai-compatible` 3",
      "Chat Completions",
      ai7,
      compatible &&
        ((baseURL, model) =>
          compatible.createOpenAICompatible({
            name: "capstan",
            baseURL,
            supportsStructuredOutputs: true,
          })(model)),
    ),
  ];
}

async function ask(sdk: AiSdk, model: object, question: Question): Promise<string> {
  const { prompt, stream, offersTool = false, sendsImage = false, schema } = question;
  const content = [
    { type: "text", text: prompt },
    ...(sendsImage ? [{ type: "file", data: image, mediaType: "image/png" }] : []),
  ];
  const { description, parameters, run } = weather;
  const tool = sdk.tool({
    description,
    inputSchema: sdk.jsonSchema(parameters),
    execute: async (input: { readonly place: string }) => run(input),
  });
  const output = schema && sdk.Output.object({ schema: sdk.jsonSchema(schema) });
  let failure: Error | undefined;
  const options = {
    model,
    maxRetries: 0,
    messages: [{ role: "user", content }],
    ...(offersTool && { tools: { [weather.name]: tool }, stopWhen: sdk.stepCountIs(5) }),
    // Version 5 has the option under its older name.
    ...(output !== undefined && { output, experimental_output: output }),
    onError: ({ error }: { readonly error: unknown }) =>
      void (failure = error instanceof Error ? error : new Error(String(error))),
  };
  if (!stream) return (await sdk.generateText(options)).text;
  const text = await Promise.resolve(sdk.streamText(options).text).catch((thrown: unknown) => {
    throw failure ?? thrown;
  });
  if (failure !== undefined) throw failure;
  return text;
}
