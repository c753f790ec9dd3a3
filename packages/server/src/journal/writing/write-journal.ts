import type { CallRecord, CallStatus, ChainEvent, Message } from "@capstan/core";
import type { RunNotice, RunStatus } from "../../contract/run.ts";
import { isClosing, runStatusOf } from "../../run/run-status.ts";
import type { Fenced, RunJournalWrite, StoreWrite } from "../store-write.ts";
import { changeStatus } from "./change-status.ts";
import type { RunState } from "./run-states.ts";
import { intoQuarantine, wipe } from "./quarantine.ts";
import { answerFromEvent, cancelApproval, requestApproval } from "./write-approvals.ts";
import { foldOpenItems, writeEvent } from "./write-events.ts";
import { insertGrant } from "./write-grants.ts";
import { answerFromReview, requestReview } from "./write-reviews.ts";
import { writeVariable } from "./write-variables.ts";
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

const underWay: ReadonlySet<CallStatus> = new Set<CallStatus>([
  "proposed",
  "approved",
  "started",
  "waiting",
  "in_review",
]);

export function writeJournal(writing: Writing, journal: Journal, at: number): Journaled {
  let run = writing.runs.get(journal.runId);
  if (run === undefined) return fenced(`There is no run ${journal.runId}.`);
  if (isClosing(run.status)) return fenced(`Run ${run.id} has ended: it is ${run.status}.`);
  if (run.epoch !== journal.epoch) {
    return fenced(
      `Run ${run.id} was claimed by another: its epoch is ${run.epoch}, and this was written in ${journal.epoch}.`,
    );
  }
  const seqBefore = run.lastSeq;
  const firstTail = writing.nextTail;
  let status = journal.status;
  for (const write of journal.writes) {
    run = applyOne(writing, run, write, at);
    if (write.type === "result") status ??= runStatusOf(write.result);
  }
  // Only what is in progress may have deltas in the tail.
  if (run.status !== "in_progress") run = foldOpenItems(writing, run);
  writing.runs.set(run);
  if (status !== undefined) {
    const changed = changeStatus(writing, run, status, at);
    if (changed.status === "refused") return fenced(changed.reason);
    run = changed.run;
  }
  return { status: "committed", seqBefore, firstTail, runStatus: run.status };
}

function applyOne(writing: Writing, run: RunState, write: RunJournalWrite, at: number): RunState {
  switch (write.type) {
    case "event":
      followApproval(writing, run, write.event);
      return writeEvent(writing, run, write.event);
    case "message":
      insertMessage(writing, run, write.round, write.message);
      return run;
    case "call":
      upsertCall(writing, run, write.call, at);
      return run;
    case "variable":
      writeVariable(writing, run, write.change);
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
      writing.sql.run(
        `INSERT INTO run_results (run_n, owner, result) VALUES (?, ?, ?)
         ON CONFLICT (run_n) DO UPDATE SET result = excluded.result`,
        run.n,
        run.owner,
        JSON.stringify(write.result),
      );
      return run;
  }
}

function followApproval(writing: Writing, run: RunState, event: ChainEvent | RunNotice): void {
  if (event.type === "approval.requested") requestApproval(writing, run, event.approval);
  if (event.type === "approval.answered") answerFromEvent(writing, run, event);
  if (event.type === "review.requested") requestReview(writing, run, event.review);
  if (event.type === "review.answered") answerFromReview(writing, run, event);
}

function insertMessage(writing: Writing, run: RunState, round: number, message: Message): void {
  writing.sql.run(
    `INSERT INTO run_messages (run_n, n, owner, round, message)
     SELECT ?, COALESCE(MAX(n), 0) + 1, ?, ?, ? FROM run_messages WHERE run_n = ?`,
    run.n,
    run.owner,
    round,
    JSON.stringify(message),
    run.n,
  );
}

function upsertCall(
  writing: Writing,
  run: RunState,
  { quarantine, ...call }: CallRecord,
  at: number,
): void {
  intoQuarantine(writing, run, { ...call, ...(quarantine !== undefined && { quarantine }) });
  writing.sql.run(
    `INSERT INTO run_calls (run_n, call_id, n, owner, status, updated_at, record)
     SELECT ?, ?, COALESCE(MAX(n), 0) + 1, ?, ?, ?, ? FROM run_calls WHERE run_n = ?
     ON CONFLICT (run_n, call_id) DO UPDATE
       SET status = excluded.status, updated_at = excluded.updated_at, record = excluded.record`,
    run.n,
    call.callId,
    run.owner,
    call.status,
    at,
    JSON.stringify(call),
    run.n,
  );
  if (underWay.has(call.status)) return;
  // A call that was stopped waits for nobody.
  if (call.approval !== undefined) cancelApproval(writing, run.n, call.approval.id, at);
  if (call.review !== undefined) wipe(writing, call.review.id);
}

function fenced(reason: string): Fenced {
  return { status: "fenced", reason };
}
