import type { ApprovalRequest, CallResult, ChainEvent } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";

const stats = {
  totalRounds: 1,
  totalCalls: 1,
  totalTime: 1234,
  startTime: 0,
  endTime: 1234,
  tokensDefinitions: 0,
  tokensArguments: 0,
  tokensShown: 10,
  tokensWithheld: 0,
};

/** Numbers events as a server does. */
export function numbered(events: readonly ChainEvent[], from = 1): readonly RunEvent[] {
  return events.map((event, index) => ({ ...event, seq: from + index }));
}

export function chainEnded(status: "completed" | "aborted" = "completed"): ChainEvent {
  const usage = { inputTokens: 1200, outputTokens: 34 };
  return { type: "chain.ended", at: 0, status, usage, stats };
}

/** A model's text, in pieces. */
export function spokenText(itemId: string, ...pieces: readonly string[]): readonly ChainEvent[] {
  return [
    { type: "item.start", itemId, kind: "text" },
    ...pieces.map((delta) => ({ type: "item.delta", itemId, delta }) as const),
    { type: "item.end", itemId, text: pieces.join("") },
  ];
}

export function proposed(callId: string, name: string, argumentsText = "{}"): ChainEvent {
  return {
    type: "call.proposed",
    callId,
    name,
    owner: "server",
    round: 0,
    at: 0,
    argumentsText,
    repairs: [],
  };
}

export function settled(callId: string, result: Partial<CallResult> = {}): ChainEvent {
  return {
    type: "call.settled",
    callId,
    at: 0,
    status: "success",
    result: {
      finalText: "",
      isTruncated: false,
      tokens: { definition: 0, arguments: 0, shown: 10, withheld: 0 },
      durationMs: 12,
      preview: "",
      ...result,
    },
  };
}

export function approvalFor(callId: string, id = `approval_${callId}`): ApprovalRequest {
  return {
    id,
    callId,
    toolId: "notes.WriteNote",
    toolName: "WriteNote",
    groupTitle: "Notes",
    description: "Writes a note.",
    args: { text: "hi" },
    argsDigest: "",
    definitionDigest: "",
    principalId: "local",
    reason: "This tool requires approval every time.",
    remember: false,
    grant: { title: "WriteNote" },
    createdAt: 0,
    expiresAt: 1,
  };
}
