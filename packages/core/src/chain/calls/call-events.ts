import { copyJson } from "../../json/json-value.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import type { Proposal } from "../../call/gate/proposal.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import { titleOf } from "../../tool/registry.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { JournalWrite } from "../journal/journal.ts";
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
    // Whoever is told may change them: what was checked is what runs.
    ...(args !== undefined && { args: copyJson(args) }),
    ...(final !== undefined && { final }),
  };
}

/** What is told of a call as it is proposed. */
export function proposalWrites(
  proposal: Proposal,
  executor: ToolExecutor,
): readonly JournalWrite[] {
  const proposed = proposedEvent(proposal.record, executor);
  if (proposal.status !== "asks") return eventWrites([proposed]);
  const { approval } = proposal;
  return eventWrites([
    proposed,
    // As data of its own: of a question that is told, the digest is looked at.
    { type: "approval.requested", callId: proposal.record.callId, approval: { ...approval } },
  ]);
}

/** What is told of a call's end; `spoken` closes what it said. */
export function endWrites(
  record: CallRecord,
  { status }: SettledToolResult,
  spoken: readonly ChainEvent[],
): readonly JournalWrite[] {
  const { callId, endedAt: at = 0, result } = record;
  const writes = [...reviewAnswered(record), ...eventWrites(spoken)];
  if (result !== undefined)
    writes.push({ type: "event", event: { type: "call.settled", callId, at, status, result } });
  return writes;
}

export function eventWrites(events: readonly ChainEvent[]): readonly JournalWrite[] {
  return events.map((event) => ({ type: "event", event }));
}

/** What is told of a call that ended in another run; nothing where it did not end. */
export function settledElsewhereWrites(record: CallRecord): readonly JournalWrite[] {
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
    ...eventWrites(events),
    ...reviewAnswered(record),
    { type: "event", event: { type: "call.settled", callId, at, status, result } },
  ];
}
