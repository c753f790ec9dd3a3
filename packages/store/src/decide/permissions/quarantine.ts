import type { ReviewDecision } from "@capstan/core";
import type { JournalAct } from "../../encode/run-commit.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

const findRun = statement<{ run_n: number }>(
  { reads: ["approvals"] },
  "SELECT run_n FROM approvals WHERE id = ?",
);

const deleteReview = statement({ writes: ["quarantine"] }, "DELETE FROM quarantine WHERE id = ?");

const deleteOfRun = statement({ writes: ["quarantine"] }, "DELETE FROM quarantine WHERE run_n = ?");

/**
 * Stores a result that only its reviewer can read. A run that continues another run can store the
 * same result again.
 */
export function quarantineResult(
  { changes }: WriteContext,
  run: { readonly n: number; readonly owner: string },
  { id, data }: Extract<JournalAct, { type: "quarantine" }>,
): void {
  changes.insert("quarantine", {
    id,
    part: "result",
    owner: run.owner,
    run_n: run.n,
    data,
  });
}

/**
 * Stores a reviewer's answer until its run applies it. It is stored here because it can quote the
 * result.
 */
export function* storeReviewAnswer(
  { changes }: WriteContext,
  approval: { readonly id: string; readonly owner: string },
  answer: ReviewDecision,
): Script<void> {
  const { id, owner } = approval;
  const row = yield* first(findRun, id);
  const data = JSON.stringify(answer);
  changes.insert("quarantine", { id, part: "answer", owner, run_n: row?.run_n ?? 0, data });
}

/** Deletes a result and its review from the database file. */
export function wipeQuarantine({ changes }: WriteContext, id: string): void {
  changes.wipe(deleteReview, id);
}

/** Deletes all quarantined results of a run from the database file. */
export function wipeRunQuarantine({ changes }: WriteContext, runN: number): void {
  changes.wipe(deleteOfRun, runN);
}
