import { copyJson } from "../../json/json-value.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import { titleOf } from "../../tool/registry.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { JournalWrite } from "../journal/journal.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import type { GivenApproval } from "../../call/gate/call-host.ts";

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

/** The events of a proposed call, and of the approval that it waits for. */
export function proposalWrites(
  record: CallRecord,
  approval: ApprovalRequest | undefined,
  executor: ToolExecutor,
): readonly JournalWrite[] {
  const proposed = proposedEvent(record, executor);
  const { callId, owner } = record;
  if (owner === "client" && record.status === "waiting")
    return eventWrites([
      { ...proposed, args: {} },
      { type: "client_call.waiting", callId },
    ]);
  if (approval === undefined) return eventWrites([proposed]);
  // A copy: the digest of the request becomes data.
  const event: ChainEvent = { type: "approval.requested", callId, approval: { ...approval } };
  return eventWrites([proposed, event]);
}

/** The event of an answered approval, and the grant that the answer created. */
export function answerWrites(
  { callId, decision, edited, args }: CallRecord,
  { approvalId, grant }: GivenApproval,
  at: number,
): readonly JournalWrite[] {
  const event: ChainEvent = {
    type: "approval.answered",
    callId,
    approvalId,
    at,
    decision: decision ?? { verdict: "allowed", by: "person" },
    ...(edited === true && args !== undefined && { args }),
  };
  const writes = eventWrites([event]);
  return grant === undefined ? writes : [...writes, { type: "grant", grant }];
}

/** That a result waits for a user, and nothing of the result. */
export function reviewRequested({ callId, review }: CallRecord): readonly JournalWrite[] {
  return review === undefined ? [] : eventWrites([{ type: "review.requested", callId, review }]);
}

/** What a user did with a result. */
function reviewAnswered({
  callId,
  review,
  reviewed,
  endedAt: at = 0,
}: CallRecord): readonly JournalWrite[] {
  if (review === undefined || reviewed === undefined) return [];
  const { id: reviewId } = review;
  return eventWrites([{ type: "review.answered", callId, reviewId, at, ...reviewed }]);
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
