import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import { collectEvents } from "../testing/collect-events.ts";
import { modelOf } from "../testing/provider-forms.ts";
import { sseFetch } from "../testing/sse-server.ts";

const tools = [
  {
    type: "function",
    function: { name: "ListFiles", parameters: { type: "object", properties: {} } },
  },
] as const;
const question: Message = { role: "user", content: "List." };

const anthropicStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 1, cache_read_input_tokens: 8 },
  },
};
const anthropicEnd = [
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 9 },
  },
  { type: "message_stop" },
];

// Contract: model-messages-4
test("Anthropic: streams signed reasoning, text, a call and usage, and sends them back", async () => {
  const chunks = [
    anthropicStart,
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "thinking_delta", thinking: "Let me see" },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: "sig-1" },
    },
    { type: "content_block_stop", index: 0 },
    { type: "ping" },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I look." } },
    { type: "content_block_stop", index: 1 },
    {
      type: "content_block_start",
      index: 2,
      content_block: { type: "tool_use", id: "toolu_1", name: "ListFiles", input: {} },
    },
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "input_json_delta", partial_json: '{"path":' },
    },
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "input_json_delta", partial_json: '"."}' },
    },
    { type: "content_block_stop", index: 2 },
    ...anthropicEnd,
  ];
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const model = modelOf({ ANTHROPIC_API_KEY: "key-a" }, "claude-sonnet-5", sseFetch(chunks, sent));
  const { events } = await collectEvents(model, { messages: [question], tools });
  const signature = { anthropic: { signature: "sig-1" } };
  assert.deepEqual(events, [
    { type: "reasoning-delta", text: "Let me see" },
    { type: "reasoning-end", providerMetadata: signature },
    { type: "text-delta", text: "I look." },
    { type: "tool-call-start", id: "toolu_1", name: "ListFiles" },
    { type: "tool-call-delta", id: "toolu_1", delta: '{"path":' },
    { type: "tool-call-delta", id: "toolu_1", delta: '"."}' },
    { type: "tool-call-end", id: "toolu_1", name: "ListFiles", arguments: '{"path":"."}' },
    {
      type: "finish",
      reason: "tool_calls",
      usage: { inputTokens: 28, outputTokens: 9, cachedInputTokens: 8 },
    },
  ]);

  await collectEvents(model, {
    tools,
    messages: [
      { role: "system", content: "Be brief." },
      question,
      {
        role: "assistant",
        content: "I look.",
        reasoning: [{ text: "Let me see", providerMetadata: signature }],
        tool_calls: [
          {
            id: "toolu_1",
            type: "function",
            function: { name: "ListFiles", arguments: '{"path":"."}' },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "toolu_1",
        name: "ListFiles",
        content: "one",
        parts: [
          {
            type: "image",
            mimeType: "image/png",
            source: { type: "base64", data: "iVBORw0KGgo=" },
          },
        ],
      },
    ],
  });
  assert.equal(sent[1]?.url, "https://api.anthropic.com/v1/messages");
  assert.equal(sent[1].headers.get("x-api-key"), "key-a");
  const body = sent[1].body as { system: unknown; messages: unknown; cache_control: unknown };
  assert.deepEqual(body.cache_control, { type: "ephemeral" });
  assert.deepEqual(body.system, [{ type: "text", text: "Be brief." }]);
  assert.deepEqual(body.messages, [
    { role: "user", content: [{ type: "text", text: "List." }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me see", signature: "sig-1" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "toolu_1", name: "ListFiles", input: { path: "." } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [
            { type: "text", text: "one" },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
            },
          ],
        },
      ],
    },
  ]);
});

test("Anthropic: retries if the stream's first event reports overload", async () => {
  const overloaded = sseFetch([
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  ]);
  const { events, error } = await collectEvents(
    modelOf({ ANTHROPIC_API_KEY: "key-a" }, "claude-sonnet-5", overloaded),
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ["retry", "retry"],
  );
  assert.equal(error?.code, "server");
  assert.match(error.message, /^Anthropic failed .*Overloaded/);
});

test("Anthropic: reports an incomplete stream as a lost connection", async () => {
  const chunks = [
    anthropicStart,
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I l" } },
  ];
  const { error } = await collectEvents(
    modelOf({ ANTHROPIC_API_KEY: "key-a" }, "claude-sonnet-5", sseFetch(chunks)),
  );
  assert.equal(error?.code, "connection");
});

const geminiCall = (id: string | undefined, signature?: string) => ({
  functionCall: { ...(id !== undefined && { id }), name: "ListFiles", args: { path: "." } },
  ...(signature !== undefined && { thoughtSignature: signature }),
});
const geminiChunk = (parts: readonly unknown[], finishReason?: string) => ({
  candidates: [
    { content: { role: "model", parts }, ...(finishReason !== undefined && { finishReason }) },
  ],
  usageMetadata: {
    promptTokenCount: 12,
    candidatesTokenCount: 3,
    thoughtsTokenCount: 4,
    totalTokenCount: 19,
  },
});

// Contract: model-messages-4, model-messages-13
test("Gemini: gives each call a unique id and keeps its signature", async () => {
  const chunks = [
    geminiChunk([{ text: "Hm", thought: true }]),
    geminiChunk([geminiCall("same", "sig-1"), geminiCall("same"), geminiCall(undefined)], "STOP"),
  ];
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const model = modelOf(
    { GOOGLE_GENERATIVE_AI_API_KEY: "key-g" },
    "gemini-3.8-flash",
    sseFetch(chunks, sent),
  );
  const earlier: Message[] = [
    question,
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "same", type: "function", function: { name: "ListFiles", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "same", name: "ListFiles", content: "one" },
  ];
  const { events } = await collectEvents(model, { messages: earlier, tools });
  const ends = events.filter((event) => event.type === "tool-call-end");
  assert.equal(ends.length, 3);
  assert.equal(new Set(["same", ...ends.map(({ id }) => id)]).size, 4);
  assert.deepEqual(ends[0]?.providerMetadata, { google: { thoughtSignature: "sig-1" } });
  assert.ok(ends.every((end) => end.arguments === '{"path":"."}'));
  assert.deepEqual(events.at(-1), {
    type: "finish",
    reason: "tool_calls",
    usage: { inputTokens: 12, outputTokens: 7, cachedInputTokens: 0, reasoningTokens: 4 },
  });

  await collectEvents(model, {
    tools,
    messages: [
      question,
      {
        role: "assistant",
        content: "",
        tool_calls: ends.map(({ id, arguments: args, providerMetadata }) => ({
          id,
          type: "function",
          function: { name: "ListFiles", arguments: args },
          ...(providerMetadata && { providerMetadata }),
        })),
      },
      ...ends.map(({ id }): Message => ({
        role: "tool",
        tool_call_id: id,
        name: "ListFiles",
        content: `for ${id}`,
      })),
    ],
  });
  const { contents } = sent[1]!.body as {
    contents: {
      parts: {
        functionCall?: unknown;
        thoughtSignature?: string;
        functionResponse?: { response: { content: string } };
      }[];
    }[];
  };
  assert.equal(contents.length, 3);
  assert.equal(contents[1]?.parts[0]?.thoughtSignature, "sig-1");
  assert.deepEqual(
    contents[2]?.parts.map((part) => part.functionResponse?.response.content),
    ends.map(({ id }) => `for ${id}`),
  );
});

test("Gemini: reports a stream without a finish reason as a lost connection", async () => {
  const fetch = sseFetch([geminiChunk([{ text: "Hel" }])]);
  const { error } = await collectEvents(
    modelOf({ GOOGLE_GENERATIVE_AI_API_KEY: "key-g" }, "gemini-3.8-flash", fetch),
  );
  assert.equal(error?.code, "connection");
});

// Contract: model-messages-4
test("OpenAI: sends encrypted reasoning in several parts back as one item before its call", async () => {
  const item = { type: "reasoning", id: "rs_1", encrypted_content: null, summary: [] };
  const chunks = [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5.5" } },
    { type: "response.output_item.added", output_index: 0, item },
    {
      type: "response.reasoning_summary_part.added",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
    },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta: "First",
    },
    {
      type: "response.reasoning_summary_part.done",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
    },
    {
      type: "response.reasoning_summary_part.added",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 1,
    },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 1,
      delta: "Second",
    },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...item, encrypted_content: "sealed" },
    },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "ListFiles",
        arguments: "",
      },
    },
    {
      type: "response.function_call_arguments.delta",
      item_id: "fc_1",
      output_index: 1,
      delta: "{}",
    },
    {
      type: "response.output_item.done",
      output_index: 1,
      item: {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "ListFiles",
        arguments: "{}",
        status: "completed",
      },
    },
    {
      type: "response.completed",
      response: {
        usage: {
          input_tokens: 5,
          output_tokens: 6,
          output_tokens_details: { reasoning_tokens: 4 },
        },
      },
    },
  ];
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const model = modelOf({ OPENAI_API_KEY: "key-o" }, "gpt-5.5", sseFetch(chunks, sent));
  const { events } = await collectEvents(model, { messages: [question], tools });
  assert.deepEqual(events.slice(0, 4), [
    { type: "reasoning-delta", text: "First" },
    { type: "reasoning-end", providerMetadata: { openai: { itemId: "rs_1" } } },
    { type: "reasoning-delta", text: "Second" },
    {
      type: "reasoning-end",
      providerMetadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } },
    },
  ]);

  const call = events.find((event) => event.type === "tool-call-end");
  assert.equal(call?.id, "call_1");
  await collectEvents(model, {
    tools,
    messages: [
      question,
      {
        role: "assistant",
        content: "",
        reasoning: [
          { text: "First", providerMetadata: { openai: { itemId: "rs_1" } } },
          {
            text: "Second",
            providerMetadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } },
          },
        ],
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "ListFiles", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", name: "ListFiles", content: "one" },
      { role: "developer", content: "Go on." },
    ],
  });
  const body = sent[1]?.body as {
    store: boolean;
    include: string[];
    input: { type?: string; role?: string; encrypted_content?: string; id?: string }[];
  };
  assert.equal(sent[1]?.url, "https://api.openai.com/v1/responses");
  assert.equal(body.store, false);
  assert.deepEqual(body.include, ["reasoning.encrypted_content"]);
  assert.deepEqual(
    body.input.map(({ type, role }) => type ?? role),
    ["user", "reasoning", "function_call", "function_call_output", "developer"],
  );
  assert.equal(body.input[1]?.encrypted_content, "sealed");
});

test("OpenAI: recognises the kind of an error within the stream", async () => {
  const chunks = [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5.5" } },
    {
      type: "error",
      sequence_number: 1,
      code: "context_length_exceeded",
      message: "Your input exceeds the context window of this model.",
      param: "input",
    },
  ];
  const { error } = await collectEvents(
    modelOf({ OPENAI_API_KEY: "key-o" }, "gpt-5.5", sseFetch(chunks)),
  );
  assert.equal(error?.code, "context_length");
});

test("OpenAI: uses Chat Completions at another URL", async () => {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const chunks = [
    {
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }],
    },
    "[DONE]",
  ];
  const model = modelOf(
    { OPENAI_API_KEY: "key-o", OPENAI_BASE_URL: "https://gateway.example.org/openai/v1/" },
    "gpt-5.5",
    sseFetch(chunks, sent),
  );
  const { events } = await collectEvents(model);
  assert.equal(events.length, 2);
  assert.equal(sent[0]?.url, "https://gateway.example.org/openai/v1/chat/completions");
});
