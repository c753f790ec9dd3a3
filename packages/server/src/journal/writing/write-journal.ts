import type { Grant } from "@capstan/core";
import type { RunStatus } from "../../contract/run.ts";
import { isClosing } from "../../run/run-status.ts";
import type { EncodedJournal } from "../encoding/encoded-journal.ts";
import type { Script } from "../script.ts";
import type { Fenced } from "../store-write.ts";
import { parkedRun } from "./answered-run.ts";
import { changeStatus } from "./change-status.ts";
import { doActs } from "./journal-acts.ts";
import type { RunState } from "./run-states.ts";
import { foldOpenItems, writeEvents } from "./write-events.ts";
import { insertGrant } from "./write-grants.ts";
import { writeChanges } from "./write-variables.ts";
import type { Writing } from "./writing.ts";

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

export function* writeJournal(
  writing: Writing,
  journal: EncodedJournal,
  at: number,
): Script<Journaled> {
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
  run = yield* writeEvents(writing, run, journal.events);
  run = insertMessages(writing, run, journal);
  run = upsertCalls(writing, run, journal, at);
  run = writeChanges(writing, run, journal.changes);
  if (journal.result !== undefined)
    writing.changes.insert("run_results", {
      run_n: run.n,
      owner: run.owner,
      result: journal.result,
    });
  if (journal.grants !== undefined) insertGrants(writing, run, journal.grants);
  if (journal.acts !== undefined) doActs(writing, run, journal.acts, at);
  // Only what is in progress may have deltas in the tail.
  if (run.status !== "in_progress") run = yield* foldOpenItems(writing, run);
  writing.runs.set(run);
  if (journal.status !== undefined) {
    const changed = yield* changeStatus(writing, run, journal.status, at);
    if (changed.status === "refused") return fenced(changed.reason);
    run = yield* parkedRun(writing, changed.run, at);
  }
  return { status: "committed", seqBefore, firstTail, runStatus: run.status };
}

function insertGrants(writing: Writing, run: RunState, grants: string): void {
  for (const grant of JSON.parse(grants) as readonly Grant[])
    insertGrant(writing, run.owner, grant.scope === "session" ? run.sessionId : null, grant);
}

function insertMessages(
  { changes }: Writing,
  run: RunState,
  { messages }: EncodedJournal,
): RunState {
  let n = run.messages;
  for (const { round, message } of messages) {
    n += 1;
    changes.insert("run_messages", { run_n: run.n, n, owner: run.owner, round, message });
  }
  return { ...run, messages: n };
}

function upsertCalls(
  { changes }: Writing,
  run: RunState,
  { calls }: EncodedJournal,
  at: number,
): RunState {
  let n = run.calls;
  for (const { id, status, record } of calls) {
    // Where the call is known its number stays, and this one is left out: they only rise.
    n += 1;
    changes.insert("run_calls", {
      run_n: run.n,
      call_id: id,
      n,
      owner: run.owner,
      status,
      updated_at: at,
      record,
    });
  }
  return { ...run, calls: n };
}

function fenced(reason: string): Fenced {
  return { status: "fenced", reason };
}
