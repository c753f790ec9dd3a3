import type { CallRecord } from "../executor/call-record.ts";
import { resultStatusOf } from "../executor/call-status.ts";
import type { ToolExecutor } from "../executor/tool-executor.ts";
import { titleOf } from "../tool/registry.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { JournalWrite } from "./journal.ts";
import { reviewAnswered } from "./review-events.ts";

export function proposedEvent(record: CallRecord, { gate }: ToolExecutor) {
  const {
    callId,
    name,
    owner,
    round,
    proposedAt: at,
    toolId,
    parentCallId,
    argumentsText,
    args,
    repairs,
    final,
  } = record;
  const registered = toolId === undefined ? undefined : gate.registry.tool(toolId);
  return {
    type: "call.proposed" as const,
    callId,
    name,
    owner,
    round,
    at,
    argumentsText,
    repairs,
    ...(toolId !== undefined && { toolId }),
    ...(registered !== undefined && { groupTitle: titleOf(registered.group) }),
    ...(parentCallId !== undefined && { parentCallId }),
    ...(args !== undefined && { args }),
    ...(final !== undefined && { final }),
  };
}

/** What is told of a call that ended in another run; nothing where it did not end. */
export function endElsewhere(record: CallRecord): readonly JournalWrite[] {
  const { callId, approval, decision, startedAt, endedAt: at = 0, result } = record;
  const status = resultStatusOf[record.status];
  if (result === undefined || status === "pending") return [];
  const events: ChainEvent[] = [];
  if (approval !== undefined && decision !== undefined) {
    const approvalId = approval.id;
    events.push({ type: "approval.answered", callId, approvalId, at: startedAt ?? at, decision });
  }
  if (startedAt !== undefined) events.push({ type: "call.started", callId, at: startedAt });
  return [
    ...events.map((event) => ({ type: "event", event }) as const),
    ...reviewAnswered(record),
    { type: "event", event: { type: "call.settled", callId, at, status, result } },
  ];
}
