import type { CallRecord, ChainEvent, Message } from "@capstan/core";
import type { RunNotice, RunStatus } from "../../contract/run.ts";
import { isClosing, runStatusOf } from "../../run/run-status.ts";
import { encodeChange, type EncodedChange } from "../encoding/encode-changes.ts";
import { idKey } from "../id-key.ts";
import type { Script } from "../script.ts";
import type { Fenced, RunJournalWrite, StoreWrite } from "../store-write.ts";
import { parkedRun } from "./answered-run.ts";
import { askApproval } from "./ask-approval.ts";
import { changeStatus } from "./change-status.ts";
import type { RunState } from "./run-states.ts";
import { intoQuarantine, wipe } from "./quarantine.ts";
import { forgetOutput } from "./submit-outputs.ts";
import { isUnderWay } from "./under-way.ts";
import { cancelApproval } from "./decide-approval.ts";
import { answerFromEvent } from "./write-approvals.ts";
import { foldOpenItems, GatheredEvents, writeEvent } from "./write-events.ts";
import { insertGrant } from "./write-grants.ts";
import { answerFromReview } from "./write-reviews.ts";
import { writeChanges } from "./write-variables.ts";
import type { Writing } from "./writing.ts";

export type Journal = Extract<StoreWrite, { type: "journal" }>;

/** What the writer says of a journal; the caller's side has the events and numbers them. */
export type Journaled =
  | {
      readonly status: "committed";
      /** The number before that of the first event. */
      readonly seqBefore: number;
      /** The tail's row of the first delta; the others follow it. */
      readonly firstTail: number;
      readonly runStatus: RunStatus;
    }
  | Fenced;

export function* writeJournal(writing: Writing, journal: Journal, at: number): Script<Journaled> {
  let run = writing.runs.get(journal.runId);
  if (run === undefined) return fenced(`There is no run ${journal.runId}.`);
  if (isClosing(run.status)) return fenced(`Run ${run.id} has ended: it is ${run.status}.`);
  if (run.epoch !== journal.epoch) {
    return fenced(
      `Run ${run.id} was claimed by another: its epoch is ${run.epoch}, and this was written in ${journal.epoch}.`,
    );
  }
  writing.lost.check(journal);
  const seqBefore = run.lastSeq;
  const firstTail = writing.nextTail;
  let status = journal.status;
  const ends = lastEnds(journal.writes);
  const gathered = new GatheredEvents();
  for (const [index, write] of journal.writes.entries()) {
    const endsAlso = index < (ends.get(itemOf(write) ?? "") ?? 0);
    run = yield* applyOne(writing, run, write, { at, gathered, endsAlso });
    if (write.type === "result") status ??= runStatusOf(write.result);
  }
  gathered.store(writing, run);
  run = writeChanges(writing, run, changesOf(journal.writes));
  // Only what is in progress may have deltas in the tail.
  if (run.status !== "in_progress") run = yield* foldOpenItems(writing, run);
  writing.runs.set(run);
  if (status !== undefined) {
    const changed = yield* changeStatus(writing, run, status, at);
    if (changed.status === "refused") return fenced(changed.reason);
    run = yield* parkedRun(writing, changed.run, at);
  }
  return { status: "committed", seqBefore, firstTail, runStatus: run.status };
}

function changesOf(writes: readonly RunJournalWrite[]): readonly EncodedChange[] {
  return writes.flatMap((write) => (write.type === "variable" ? encodeChange(write.change) : []));
}

/** Where each of the items ends that end here. */
function lastEnds(writes: readonly RunJournalWrite[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const [index, write] of writes.entries())
    if (write.type === "event" && write.event.type === "item.end")
      ends.set(write.event.itemId, index);
  return ends;
}

function itemOf(write: RunJournalWrite): string | undefined {
  return write.type === "event" && write.event.type === "item.delta"
    ? write.event.itemId
    : undefined;
}

function* applyOne(
  writing: Writing,
  run: RunState,
  write: RunJournalWrite,
  { at, ...how }: { readonly at: number } & Parameters<typeof writeEvent>[3],
): Script<RunState> {
  switch (write.type) {
    case "event":
      followApproval(writing, run, write.event);
      return yield* writeEvent(writing, run, write.event, how);
    case "message":
      return insertMessage(writing, run, write.round, write.message);
    case "call":
      return upsertCall(writing, run, write.call, at);
    case "variable":
      return run;
    case "grant":
      insertGrant(
        writing,
        run.owner,
        write.grant.scope === "session" ? run.sessionId : null,
        write.grant,
      );
      return run;
    case "result":
      writing.changes.insert("run_results", {
        run_n: run.n,
        owner: run.owner,
        result: JSON.stringify(write.result),
      });
      return run;
  }
}

function followApproval(writing: Writing, run: RunState, event: ChainEvent | RunNotice): void {
  if (event.type === "approval.requested")
    askApproval(writing, run, { kind: "execution", request: event.approval });
  if (event.type === "approval.answered") answerFromEvent(writing, run, event);
  if (event.type === "review.requested")
    askApproval(writing, run, { kind: "result", request: event.review });
  if (event.type === "review.answered") answerFromReview(writing, run, event);
}

function insertMessage(
  { changes }: Writing,
  run: RunState,
  round: number,
  message: Message,
): RunState {
  const n = run.messages + 1;
  const json = JSON.stringify(message);
  changes.insert("run_messages", { run_n: run.n, n, owner: run.owner, round, message: json });
  return { ...run, messages: n };
}

function upsertCall(
  writing: Writing,
  run: RunState,
  { quarantine, ...call }: CallRecord,
  at: number,
): RunState {
  intoQuarantine(writing, run, { ...call, ...(quarantine !== undefined && { quarantine }) });
  // Where the call is known its number stays, and this one is left out: they only rise.
  const n = run.calls + 1;
  writing.changes.insert("run_calls", {
    run_n: run.n,
    call_id: idKey(call.callId),
    n,
    owner: run.owner,
    status: call.status,
    updated_at: at,
    record: JSON.stringify(call),
  });
  settleBeside(writing, run, call, at);
  return { ...run, calls: n };
}

function settleBeside(writing: Writing, run: RunState, call: CallRecord, at: number): void {
  if (isUnderWay(call.status)) return;
  if (call.owner === "client") forgetOutput(writing, run.n, call.callId);
  // A call that was stopped waits for nobody.
  if (call.approval !== undefined) cancelApproval(writing, run.n, call.approval.id, at);
  if (call.review !== undefined) wipe(writing, call.review.id);
}

function fenced(reason: string): Fenced {
  return { status: "fenced", reason };
}
