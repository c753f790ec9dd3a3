import assert from "node:assert/strict";
import { test } from "node:test";
import { loadClient, skipReason } from "./installed.ts";
import { model, serve, weatherMessages } from "./served.ts";

/* Clients of the Chat Completions API: a loop of function calls over real HTTP, with and without streams. */

interface AiSdk {
  generateText(options: object): Promise<{ readonly text: string }>;
  streamText(options: object): { readonly text: PromiseLike<string> };
  tool(definition: object): object;
  jsonSchema(schema: object): object;
  stepCountIs(count: number): object;
}

interface OpenAiProvider {
  createOpenAI(options: object): { chat(model: string): object };
}

interface CompatibleProvider {
  createOpenAICompatible(options: object): (model: string) => object;
}

const schema = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };

const ai5 = await loadClient<AiSdk>("ai5");
const ai7 = await loadClient<AiSdk>("ai");
const openai2 = await loadClient<OpenAiProvider>("ai5-openai");
const openai4 = await loadClient<OpenAiProvider>("@ai-sdk/openai");
const compatible = await loadClient<CompatibleProvider>("@ai-sdk/openai-compatible");

const clients = [
  {
    title: "ai 5 with @ai-sdk/openai 2",
    sdk: ai5,
    create:
      openai2 &&
      ((baseURL: string) => openai2.createOpenAI({ baseURL, apiKey: "local" }).chat(model)),
  },
  {
    title: "ai 7 with @ai-sdk/openai 4",
    sdk: ai7,
    create:
      openai4 &&
      ((baseURL: string) => openai4.createOpenAI({ baseURL, apiKey: "local" }).chat(model)),
  },
  {
    title: "ai 7 with @ai-sdk/openai-compatible",
    sdk: ai7,
    create:
      compatible &&
      ((baseURL: string) => compatible.createOpenAICompatible({ name: "capstan", baseURL })(model)),
  },
];

for (const { title, sdk, create } of clients)
  test(`${title}: a loop of function calls`, { skip: skipReason(sdk && create) }, async () => {
    assert.ok(sdk !== undefined && create !== undefined);
    const { baseURL, messages } = await serve();
    for (const isStreamed of [false, true]) {
      const options = {
        model: create(baseURL),
        prompt: "How is the weather?",
        stopWhen: sdk.stepCountIs(5),
        tools: {
          get_weather: sdk.tool({
            description: "Returns the weather",
            inputSchema: sdk.jsonSchema(schema),
            execute: async ({ place }: { readonly place: string }) => `storm in ${place}`,
          }),
        },
      };
      const text: string = isStreamed
        ? await sdk.streamText(options).text
        : (await sdk.generateText(options)).text;
      assert.equal(text, "It said: storm in Kiel, storm in Oslo", `streamed ${isStreamed}`);
      assert.deepEqual(messages(), weatherMessages, `streamed ${isStreamed}`);
    }
  });

interface ChatMessage {
  readonly text: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly args: { readonly place: string };
  }[];
  concat(next: ChatMessage): ChatMessage;
}

interface LangChain {
  readonly ChatOpenAI: new (options: object) => {
    bindTools(tools: readonly object[]): {
      invoke(messages: readonly object[]): Promise<ChatMessage>;
      stream(messages: readonly object[]): Promise<AsyncIterable<ChatMessage>>;
    };
  };
}

const langChain = await loadClient<LangChain>("@langchain/openai");

test("@langchain/openai: a loop of function calls", { skip: skipReason(langChain) }, async () => {
  assert.ok(langChain !== undefined);
  const { baseURL, messages } = await serve();
  const definition = {
    name: "get_weather",
    description: "Returns the weather",
    parameters: schema,
  };
  const chat = new langChain.ChatOpenAI({ model, apiKey: "local", configuration: { baseURL } });
  const bound = chat.bindTools([{ type: "function", function: definition }]);
  const ask = async (history: readonly object[], isStreamed: boolean): Promise<ChatMessage> => {
    if (!isStreamed) return bound.invoke(history);
    const chunks = await Array.fromAsync(await bound.stream(history));
    return chunks.reduce((whole, chunk) => whole.concat(chunk));
  };
  for (const isStreamed of [false, true]) {
    const history: object[] = [{ role: "user", content: "How is the weather?" }];
    let answer = await ask(history, isStreamed);
    while ((answer.tool_calls ?? []).length > 0) {
      history.push(answer);
      for (const { id, args } of answer.tool_calls ?? [])
        history.push({ role: "tool", tool_call_id: id, content: `storm in ${args.place}` });
      answer = await ask(history, isStreamed);
    }
    assert.equal(answer.text, "It said: storm in Kiel, storm in Oslo", `streamed ${isStreamed}`);
    assert.deepEqual(messages(), weatherMessages, `streamed ${isStreamed}`);
  }
});
