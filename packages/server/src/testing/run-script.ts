import type { ApprovalRequest, CallResult, ChainEvent, ChainStats, Usage } from "@capstan/core";
import type { RunEvent, RunNotice } from "@capstan/contract";
import type { ProjectionOptions } from "../responses/projection/project-events.ts";
import type { ResponseEcho } from "../responses/projection/wire.ts";

/* Events of a run, for tests. */

export const usage: Usage = { inputTokens: 10, outputTokens: 5 };

const stats: ChainStats = {
  totalRounds: 1,
  totalCalls: 0,
  totalTime: 0,
  startTime: 0,
  endTime: 0,
  tokensDefinitions: 0,
  tokensArguments: 0,
  tokensShown: 0,
  tokensWithheld: 0,
};

/** The echo of a request with only an input. */
export const echo: ResponseEcho = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  prompt_cache_key: null,
  reasoning: null,
  safety_identifier: null,
  service_tier: "default",
  store: true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
};

export const identity: ProjectionOptions = {
  responseId: "resp_1",
  createdAt: 1_700_000_000_500,
  model: "capstan/offline",
  echo,
  servers: [],
};

export const filesServer = {
  label: "files",
  group: "files",
  tools: [{ name: "ViewFile", input_schema: { type: "object" } }],
};

/** Returns events with their numbers. */
export function numbered(events: readonly (ChainEvent | RunNotice)[]): readonly RunEvent[] {
  return events.map((event, position) => ({ ...event, seq: position + 1 }));
}

export const started: ChainEvent = { type: "chain.started", at: 1, model: "m" };

export const heartbeat: RunNotice = { type: "run.heartbeat", at: 5 };

export function roundStarted(round = 1): ChainEvent {
  return { type: "round.started", round, at: 2 };
}

export function roundEnded(
  finishReason: Extract<ChainEvent, { type: "round.ended" }>["finishReason"] = "stop",
): ChainEvent {
  return { type: "round.ended", round: 1, at: 3, finishReason, usage };
}

export function ended(
  status: Extract<ChainEvent, { type: "chain.ended" }>["status"] = "completed",
  error?: Extract<ChainEvent, { type: "chain.ended" }>["error"],
): ChainEvent {
  const at = 1_700_000_009_999;
  return {
    type: "chain.ended",
    at,
    status,
    usage,
    stats,
    ...(error === undefined ? {} : { error }),
  };
}

/** Returns the events of a whole text or reasoning item with these deltas. */
export function textEvents(
  itemId: string,
  deltas: readonly string[],
  kind: "text" | "reasoning" = "text",
): readonly ChainEvent[] {
  return [
    { type: "item.start", itemId, kind },
    ...deltas.map((delta): ChainEvent => ({ type: "item.delta", itemId, delta })),
    { type: "item.end", itemId, text: deltas.join("") },
  ];
}

/** Returns the events of a call's arguments as the model writes them. */
export function written(
  callId: string,
  deltas: readonly string[],
  options: { readonly owner?: "server" | "client"; readonly name?: string } = {},
): readonly ChainEvent[] {
  const itemId = `args_${callId}`;
  const { owner = "client", name = "Weather" } = options;
  return [
    { type: "item.start", itemId, kind: "arguments", callId, name, owner },
    ...deltas.map((delta): ChainEvent => ({ type: "item.delta", itemId, delta })),
    { type: "item.end", itemId, text: deltas.join("") },
  ];
}

export function proposed(
  callId: string,
  options: Partial<Extract<ChainEvent, { type: "call.proposed" }>> = {},
): ChainEvent {
  return {
    type: "call.proposed",
    callId,
    name: "ViewFile",
    owner: "server",
    toolId: "files.ViewFile",
    round: 1,
    at: 3,
    argumentsText: '{"path":"a"}',
    args: { path: "a" },
    repairs: [],
    ...options,
  };
}

export function callStarted(callId: string): ChainEvent {
  return { type: "call.started", callId, at: 4 };
}

export function settled(
  callId: string,
  text: string,
  status: Extract<ChainEvent, { type: "call.settled" }>["status"] = "success",
): ChainEvent {
  const result: CallResult = {
    finalText: text,
    isTruncated: false,
    tokens: { definition: 0, arguments: 0, shown: 1, withheld: 0 },
    durationMs: 1,
    preview: text,
    ...(status === "success" ? {} : { error: { code: "failed", message: text } }),
  };
  return { type: "call.settled", callId, at: 5, status, result };
}

export function approvalFor(callId: string): ApprovalRequest {
  return {
    id: `ap_${callId}`,
    callId,
    toolId: "files.ViewFile",
    toolName: "ViewFile",
    groupTitle: "Files",
    description: "Shows a file.",
    args: { path: "resolved" },
    argsDigest: "a",
    definitionDigest: "d",
    principalId: "local",
    reason: "The tool requires approval every time.",
    remember: false,
    grant: { title: "ViewFile" },
    createdAt: 1,
    expiresAt: 2,
  };
}

export function asked(callId: string): ChainEvent {
  return { type: "approval.requested", callId, approval: approvalFor(callId) };
}

export function answered(callId: string, verdict: "allowed" | "refused"): ChainEvent {
  const decision = { verdict, by: "person" } as const;
  return { type: "approval.answered", callId, approvalId: `ap_${callId}`, at: 4, decision };
}

export function waiting(...callIds: readonly string[]): ChainEvent {
  return { type: "chain.waiting", at: 1_700_000_008_000, callIds };
}
