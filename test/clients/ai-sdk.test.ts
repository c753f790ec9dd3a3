import assert from "node:assert/strict";
import { test } from "node:test";
import { loadClient, skipReason } from "./installed.ts";
import { approvedMessages, model, serve, weatherMessages } from "./served.ts";

/** The part of `ai` that the tests use. */
interface AiSdk {
  generateText(options: object): Promise<Generated>;
  streamText(options: object): { readonly text: PromiseLike<string> };
  tool(definition: object): object;
  jsonSchema(schema: object): object;
  stepCountIs(count: number): object;
}

interface Generated {
  readonly text: string;
  readonly response: { readonly messages: readonly object[] };
  readonly content: readonly { readonly type: string; readonly approvalId?: string }[];
}

/** The part of `@ai-sdk/openai` that the tests use. */
interface AiSdkOpenAi {
  createOpenAI(options: object): {
    responses(model: string): object;
    readonly tools: { readonly mcp?: (options: object) => object };
  };
}

const versions = [
  { title: "ai 5 with @ai-sdk/openai 2", sdk: "ai5", openai: "ai5-openai" },
  { title: "ai 6 with @ai-sdk/openai 3", sdk: "ai6", openai: "ai6-openai" },
  { title: "ai 7 with @ai-sdk/openai 4", sdk: "ai", openai: "@ai-sdk/openai" },
] as const;

const weather = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
};

const storage = (store: boolean) =>
  store ? {} : { providerOptions: { openai: { store: false } } };

for (const { title, sdk, openai } of versions) {
  const ai = await loadClient<AiSdk>(sdk);
  const provider = await loadClient<AiSdkOpenAi>(openai);
  const skip = skipReason(ai && provider);

  // Contract: history-9
  test(`${title}: a loop of function calls`, { skip }, async () => {
    assert.ok(ai !== undefined && provider !== undefined);
    const { baseURL, messages } = await serve();
    const client = provider.createOpenAI({ baseURL, apiKey: "local" });
    for (const store of [true, false])
      for (const isStreamed of [false, true]) {
        const options = {
          model: client.responses(model),
          prompt: "How is the weather?",
          stopWhen: ai.stepCountIs(5),
          ...storage(store),
          tools: {
            get_weather: ai.tool({
              description: "Returns the weather",
              inputSchema: ai.jsonSchema(weather),
              execute: async ({ place }: { readonly place: string }) => `storm in ${place}`,
            }),
          },
        };
        const text: string = isStreamed
          ? await ai.streamText(options).text
          : (await ai.generateText(options)).text;
        const how = `store ${store}, streamed ${isStreamed}`;
        assert.equal(text, "It said: storm in Kiel, storm in Oslo", how);
        assert.deepEqual(messages(), weatherMessages, how);
      }
  });

  // Contract: history-9
  test(
    `${title}: an approval of a server's call`,
    {
      skip: openai === "ai5-openai" ? "@ai-sdk/openai 2 has no mcp tool" : skip,
    },
    async () => {
      assert.ok(ai !== undefined && provider !== undefined);
      const { baseURL, messages, ledger } = await serve({ tools: "toys" });
      const client = provider.createOpenAI({ baseURL, apiKey: "local" });
      const mcp = client.tools.mcp?.({
        serverLabel: "toys",
        serverUrl: "capstan://groups/toys",
        requireApproval: "always",
      });
      for (const [index, store] of [true, false].entries()) {
        const options = { model: client.responses(model), ...storage(store), tools: { mcp } };
        const asked = { role: "user", content: "Append a line." };
        const first = await ai.generateText({ ...options, messages: [asked] });
        const request = first.content.find(({ type }) => type === "tool-approval-request");
        assert.ok(request !== undefined, JSON.stringify(first.content));
        assert.equal((await ledger()).length, index, "nothing runs before the answer");
        const response = {
          type: "tool-approval-response",
          approvalId: request.approvalId,
          approved: true,
          providerExecuted: true,
        };
        const history = [asked, ...first.response.messages, { role: "tool", content: [response] }];
        const second = await ai.generateText({ ...options, messages: history });
        assert.equal(second.text, "It said: recorded approved", `store ${store}`);
        assert.deepEqual(messages(), approvedMessages, `store ${store}`);
        assert.equal((await ledger()).length, index + 1);
        // The next request repeats the approval.
        const thanks = { role: "user", content: "Thanks." };
        await ai.generateText({
          ...options,
          messages: [...history, ...second.response.messages, thanks],
        });
        assert.equal(messages().at(-1), "user: Thanks.");
        assert.equal((await ledger()).length, index + 1);
      }
    },
  );
}
