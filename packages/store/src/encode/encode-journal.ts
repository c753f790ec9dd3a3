import type { Grant, Message, VariableChange } from "@capstan/core";
import { runStatusOf } from "../records/run-status.ts";
import type { UnnumberedEvent } from "../records/records.ts";
import type { CallWrite, Journal, RunJournalWrite } from "../records/store-writes.ts";
import { isOutcomeUnknown } from "./is-outcome-unknown.ts";
import { isUnsettled } from "./is-unsettled.ts";
import { type EncodedResult, encodeResult } from "../blobs/split-result.ts";
import { encodeChanges } from "./encode-changes.ts";
import { encodeEvents } from "./encode-events.ts";
import { encodeCalls } from "./encode-calls.ts";
import type { EncodedJournal, JournalEffect, ApprovalEvent } from "./encoded-journal.ts";

/** @throws TypeError where something of it is no JSON */
export function encodeJournal({ runId, epoch, status, writes }: Journal): EncodedJournal {
  const events: UnnumberedEvent[] = [];
  const messages: Message[] = [];
  const calls: CallWrite[] = [];
  const changes: VariableChange[] = [];
  const grants: Grant[] = [];
  const effects: JournalEffect[] = [];
  let result: EncodedResult | undefined;
  let next = status;
  for (const write of writes) {
    switch (write.type) {
      case "event":
        events.push(write.event);
        if (isApprovalEvent(write.event)) effects.push({ type: "approval", event: write.event });
        break;
      case "message":
        messages.push(write.message);
        break;
      case "call":
        calls.push(write);
        addEffectsOf(write, effects);
        break;
      case "variable":
        changes.push(write.change);
        break;
      case "grant":
        grants.push(write.grant);
        break;
      case "result":
        result = encodeResult(write.result);
        next ??= runStatusOf(write.result);
    }
  }
  const encoded: { -readonly [field in keyof EncodedJournal]: EncodedJournal[field] } = {
    type: "journal",
    runId,
    epoch,
    events: encodeEvents(events),
    changes: encodeChanges(changes),
  };
  if (next !== undefined) encoded.status = next;
  if (containsOnlyHeartbeats(writes)) encoded.isHeartbeat = true;
  if (messages.length > 0) encoded.messages = JSON.stringify(messages);
  const changed = encodeCalls(calls);
  if (changed !== undefined) encoded.calls = changed;
  if (result !== undefined) Object.assign(encoded, result);
  if (grants.length > 0) encoded.grants = JSON.stringify(grants);
  if (effects.length > 0) encoded.effects = JSON.stringify(effects);
  return encoded;
}

/** Nothing hangs on it: it is given beside what the chain writes. */
export function containsOnlyHeartbeats(writes: readonly RunJournalWrite[]): boolean {
  return writes.every((write) => write.type === "event" && write.event.type === "run.heartbeat");
}

function isApprovalEvent(event: UnnumberedEvent): event is ApprovalEvent {
  switch (event.type) {
    case "approval.requested":
    case "approval.answered":
    case "review.requested":
    case "review.answered":
      return true;
    default:
      return false;
  }
}

function addEffectsOf({ call, before }: CallWrite, effects: JournalEffect[]): void {
  const { callId, owner, status, review, quarantine } = call;
  // What has begun was allowed: its question is answered.
  const approval = call.startedAt === undefined ? call.approval : undefined;
  if (review !== undefined && quarantine !== undefined)
    effects.push({ type: "quarantine", id: review.id, quarantine });
  const isClient = owner === "client";
  if (isClient && before === undefined) effects.push({ type: "answerable", callId, by: "client" });
  if (isOutcomeUnknown(call)) effects.push({ type: "answerable", callId, by: "person" });
  if (!isUnsettled(status) && (isClient || approval !== undefined || review !== undefined))
    effects.push({
      type: "settled",
      ...(isClient && { client: callId }),
      // A call that was stopped waits for nobody.
      ...(approval !== undefined && { approval: approval.id }),
      ...(review !== undefined && { review: review.id }),
    });
}
