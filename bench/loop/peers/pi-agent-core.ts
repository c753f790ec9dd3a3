import { agentLoop, type AgentTool, type StreamFn } from "@mariozechner/pi-agent-core";
import {
  type AssistantMessage,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type Message,
  type Model,
  type ToolCall,
  Type,
} from "@mariozechner/pi-ai";
import {
  answer,
  callIds,
  prompt,
  toolArguments,
  toolDescription,
  toolName,
  type LoopScript,
  type LoopSubject,
} from "../subject.ts";

export const prepare: LoopSubject = (script) => {
  let executed = 0;
  const parameters = Type.Object({ value: Type.Number() });
  const noop: AgentTool<typeof parameters> = {
    name: toolName,
    label: toolName,
    description: toolDescription,
    parameters,
    execute: () => {
      executed += 1;
      return Promise.resolve({ content: [{ type: "text", text: "ok" }], details: undefined });
    },
  };
  const streamFn = scriptedModel(script);
  return async () => {
    const loop = agentLoop(
      [{ role: "user", content: prompt, timestamp: Date.now() }],
      { systemPrompt: "", messages: [], tools: [noop] },
      // This bench creates no custom messages, so all messages are already in the model's format.
      { model, convertToLlm: (messages) => messages as Message[] },
      undefined,
      streamFn,
    );
    const last = (await loop.result()).at(-1);
    return { executed, answer: last?.role === "assistant" ? textOf(last) : "" };
  };
};

const model: Model<"openai-completions"> = {
  id: "scripted",
  name: "scripted",
  api: "openai-completions",
  provider: "bench",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 1_000,
};

/**
 * Streams the same events as a provider of this library: each call as start, delta and end, parsed.
 */
function scriptedModel(script: LoopScript): StreamFn {
  let round = 0;
  return () => {
    const stream = createAssistantMessageEventStream();
    if (round < script.rounds) streamCalls(stream, callIds(round++, script));
    else streamText(stream);
    return stream;
  };
}

function streamCalls(stream: AssistantMessageEventStream, ids: readonly string[]): void {
  const content: ToolCall[] = [];
  const partial = assistant(content, "toolUse");
  stream.push({ type: "start", partial });
  for (const [contentIndex, id] of ids.entries()) {
    const toolCall: ToolCall = { type: "toolCall", id, name: toolName, arguments: {} };
    content.push(toolCall);
    stream.push({ type: "toolcall_start", contentIndex, partial });
    stream.push({ type: "toolcall_delta", contentIndex, delta: toolArguments, partial });
    toolCall.arguments = JSON.parse(toolArguments) as { readonly value: number };
    stream.push({ type: "toolcall_end", contentIndex, toolCall, partial });
  }
  stream.push({ type: "done", reason: "toolUse", message: partial });
}

function streamText(stream: AssistantMessageEventStream): void {
  const partial = assistant([{ type: "text", text: answer }], "stop");
  stream.push({ type: "start", partial });
  stream.push({ type: "text_delta", contentIndex: 0, delta: answer, partial });
  stream.push({ type: "done", reason: "stop", message: partial });
}

function assistant(
  content: AssistantMessage["content"],
  stopReason: "stop" | "toolUse",
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason,
    timestamp: Date.now(),
  };
}

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
