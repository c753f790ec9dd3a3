import type { Api } from "../api.ts";

/** A request that is as large as its kind can be. */
export interface LargeRequest {
  readonly name: string;
  readonly path: string;
  /** An object that is sent as JSON, or a text that may be invalid JSON. */
  readonly body: object | string;
  readonly headers?: { readonly [name: string]: string };
}

/** The objects that large requests name. */
export interface LargePlaces {
  readonly assistant: string;
  readonly thread: string;
  /** A run that waits for the output of a client's call. */
  readonly run: string;
}

/** Creates the objects that large requests name. */
export async function prepareLarge(api: Api): Promise<LargePlaces> {
  const post = (path: string, body: object) =>
    api.request<{ readonly id: string }>("POST", path, body);
  const { id: assistant } = await post("/v1/assistants", { model: "custom/scripted" });
  const { id: thread } = await post("/v1/threads", {});
  const { id: run } = await post("/v1/responses", { input: "Hello", background: true });
  return { assistant, thread, run };
}

const list = <T>(length: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length }, (_, n) => make(n));
const words = (chars: number): string => "lorem ipsum ".repeat(chars / 12);
const says = (content: unknown) => ({ role: "user", content });
const functionTool = (n: number) => ({ type: "function", name: `f${n}` });
const chatTool = (n: number) => ({ type: "function", function: { name: `f${n}` } });
const group = (n: number) => ({
  type: "mcp",
  server_label: `l${n}`,
  server_url: `capstan://groups/g${n}`,
});
const megabyte = 1_000_000;

/** One request of each kind, with valid but large values. The fuzzer sends invalid values. */
export function largeRequests({ assistant, thread, run }: LargePlaces): readonly LargeRequest[] {
  const responses = "/v1/responses";
  const chat = "/v1/chat/completions";
  const messages = [says("x")];
  return [
    ...bodies(responses),
    { name: "20 MB of text", path: responses, body: { input: words(20 * megabyte) } },
    {
      name: "15,000 functions",
      path: responses,
      body: { input: "x", tools: list(15_000, functionTool) },
    },
    { name: "10,000 groups", path: responses, body: { input: "x", tools: list(10_000, group) } },
    {
      name: "8,000 allowed tools",
      path: responses,
      body: {
        input: "x",
        tools: list(8_000, functionTool),
        tool_choice: { type: "allowed_tools", mode: "auto", tools: list(8_000, functionTool) },
      },
    },
    {
      name: "5,000 calls with outputs",
      path: responses,
      body: {
        input: [
          says("x"),
          ...list(5_000, (n) => [
            { type: "function_call", call_id: `c${n}`, name: "f", arguments: "{}" },
            { type: "function_call_output", call_id: `c${n}`, output: "x" },
          ]).flat(),
        ],
      },
    },
    {
      name: "12,000 outputs without calls",
      path: responses,
      body: {
        input: list(12_000, (n) => ({
          type: "function_call_output",
          call_id: `c${n}`,
          output: "x",
        })),
      },
    },
    {
      name: "12,000 approvals",
      path: responses,
      body: {
        input: list(12_000, (n) => ({
          type: "mcp_approval_response",
          approval_request_id: `mcpr_x${n}`,
          approve: false,
        })),
      },
    },
    {
      name: "a sealed text of 20 MB",
      path: responses,
      body: {
        input: [
          {
            type: "reasoning",
            summary: [],
            encrypted_content: `capstan1.${"A".repeat(20 * megabyte)}`,
          },
        ],
      },
    },
    {
      name: "a patch of 20 MB",
      path: responses,
      body: {
        input: [
          says("x"),
          {
            type: "apply_patch_call",
            call_id: "c",
            operation: { type: "update_file", path: "a", diff: words(20 * megabyte) },
          },
          { type: "apply_patch_call_output", call_id: "c", output: "x" },
        ],
      },
    },
    {
      name: "a grammar of 50,000 characters",
      path: responses,
      body: {
        input: "x",
        tools: [
          {
            type: "custom",
            name: "c",
            format: {
              type: "grammar",
              syntax: "lark",
              definition: `start: ${'"a"~0..50 '.repeat(4_000)}`,
            },
          },
        ],
      },
    },
    {
      name: "20 MB to count",
      path: "/v1/responses/input_tokens",
      body: { input: words(20 * megabyte) },
    },
    {
      name: "20 MB to compact",
      path: "/v1/responses/compact",
      body: { model: "custom/scripted", input: words(20 * megabyte) },
    },
    {
      name: "20,000 functions in their old form",
      path: chat,
      body: { messages, functions: list(20_000, (n) => ({ name: `f${n}` })) },
    },
    { name: "10,000 groups in a chat", path: chat, body: { messages, tools: list(10_000, group) } },
    {
      name: "5,000 allowed tools in a chat",
      path: chat,
      body: {
        messages,
        tools: list(5_000, chatTool),
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: list(5_000, chatTool) },
        },
      },
    },
    {
      name: "an answer with 5,000,000 open links",
      path: chat,
      body: { messages: [{ role: "assistant", content: "\n[".repeat(5_000_000) }, says("x")] },
    },
    {
      name: "eight choices of 8 MB",
      path: chat,
      body: { n: 8, messages: [says(words(8 * megabyte))] },
    },
    {
      name: "a thread of 20 MB",
      path: "/v1/threads",
      body: { messages: list(1_000, () => says(words(20_000))) },
    },
    {
      name: "a message of 20 MB",
      path: `/v1/threads/${thread}/messages`,
      body: says(list(80, () => ({ type: "text", text: words(250_000) }))),
    },
    {
      name: "a run of a thread of 20 MB",
      path: `/v1/threads/${thread}/runs`,
      body: { assistant_id: assistant },
    },
    {
      name: "40,000 properties of metadata",
      path: "/v1/threads",
      body: { metadata: Object.fromEntries(list(40_000, (n) => [`k${n}`, "x"])) },
    },
    {
      name: "an assistant with 12,000 parameters",
      path: "/v1/assistants",
      body: {
        model: "custom/scripted",
        tools: [
          {
            type: "function",
            function: {
              name: "f",
              parameters: {
                type: "object",
                properties: Object.fromEntries(list(12_000, (n) => [`p${n}`, { type: "string" }])),
              },
            },
          },
        ],
      },
    },
    {
      name: "16,000 outputs of a run",
      path: `/v1/runs/${run}/submit_tool_outputs`,
      body: { tool_outputs: list(16_000, (n) => ({ tool_call_id: `c${n}`, output: "x" })) },
    },
    {
      name: "45,000 tokens to embed",
      path: "/v1/embeddings",
      body: { model: "custom/embedder", input: list(45_000, (n) => n) },
    },
    {
      name: "20 MB of items for a conversation",
      path: "/v1/conversations",
      body: { items: list(20, () => says(words(megabyte))) },
    },
  ];
}

/** Bodies that are not the JSON of any request. */
function bodies(path: string): readonly LargeRequest[] {
  const texts = {
    "60 MB of open brackets": "[".repeat(60 * megabyte),
    "60 MB of empty lists": `[${"[],".repeat(20 * megabyte)}[]]`,
    "60 MB of numbers": `[${"1,".repeat(30 * megabyte)}1]`,
    "60 MB of escapes": `{"a":"${"\\u0000".repeat(10 * megabyte)}"}`,
  };
  return Object.entries(texts).map(([name, body]) => ({ name, path, body }));
}
