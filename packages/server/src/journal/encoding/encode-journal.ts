import type { CallRecord, Grant } from "@capstan/core";
import { runStatusOf } from "../../run/run-status.ts";
import type { UnnumberedEvent } from "../event-layout.ts";
import { idKey } from "../id-key.ts";
import type { Journal, RunJournalWrite } from "../store-write.ts";
import { isUnderWay } from "../writing/under-way.ts";
import { encodeChange, type EncodedChange } from "./encode-changes.ts";
import { encodeEvents } from "./encode-events.ts";
import type {
  EncodedCall,
  EncodedJournal,
  EncodedMessage,
  JournalAct,
  QuestionEvent,
} from "./encoded-journal.ts";

/** @throws TypeError where something of it is no JSON */
export function encodeJournal({ runId, epoch, status, writes }: Journal): EncodedJournal {
  const events: UnnumberedEvent[] = [];
  const messages: EncodedMessage[] = [];
  const calls: EncodedCall[] = [];
  const changes: EncodedChange[] = [];
  const grants: Grant[] = [];
  const acts: JournalAct[] = [];
  let result: string | undefined;
  let next = status;
  for (const write of writes) {
    switch (write.type) {
      case "event":
        events.push(write.event);
        if (isQuestion(write.event)) acts.push({ type: "question", event: write.event });
        break;
      case "message":
        messages.push({ round: write.round, message: JSON.stringify(write.message) });
        break;
      case "call":
        calls.push(encodeCall(write.call));
        addActsOf(write.call, acts);
        break;
      case "variable":
        changes.push(encodeChange(write.change));
        break;
      case "grant":
        grants.push(write.grant);
        break;
      case "result":
        result = JSON.stringify(write.result);
        next ??= runStatusOf(write.result);
    }
  }
  return {
    type: "journal",
    runId,
    epoch,
    ...(next !== undefined && { status: next }),
    ...(isSignOfLife(writes) && { signOfLife: true }),
    events: encodeEvents(events),
    messages,
    calls,
    changes,
    ...(result !== undefined && { result }),
    ...(grants.length > 0 && { grants: JSON.stringify(grants) }),
    ...(acts.length > 0 && { acts: JSON.stringify(acts) }),
  };
}

/** Nothing hangs on it: it is given beside what the chain writes. */
export function isSignOfLife(writes: readonly RunJournalWrite[]): boolean {
  return writes.every((write) => write.type === "event" && write.event.type === "run.heartbeat");
}

function isQuestion(event: UnnumberedEvent): event is QuestionEvent {
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

function encodeCall(call: CallRecord): EncodedCall {
  return { id: idKey(call.callId), status: call.status, record: JSON.stringify(openPart(call)) };
}

function openPart(call: CallRecord): CallRecord {
  if (call.quarantine === undefined) return call;
  const { quarantine: _secret, ...open } = call;
  return open;
}

function addActsOf(call: CallRecord, acts: JournalAct[]): void {
  const { callId, owner, status, approval, review, quarantine } = call;
  if (review !== undefined && quarantine !== undefined)
    acts.push({ type: "quarantine", id: review.id, quarantine });
  const isClient = owner === "client";
  if (!isUnderWay(status) && (isClient || approval !== undefined || review !== undefined))
    acts.push({
      type: "settled",
      ...(isClient && { client: callId }),
      // A call that was stopped waits for nobody.
      ...(approval !== undefined && { approval: approval.id }),
      ...(review !== undefined && { review: review.id }),
    });
}
