import type { ReviewDecision } from "@capstan/core";
import type { JournalAct } from "../../encode/encoded-journal.ts";
import { first, type Script } from "../../sql/script.ts";
import type { WriteContext } from "../state/write-context.ts";

/** Keeps a result where its reviewer alone finds it. Another run may have it from the one that ran the call. */
export function intoQuarantine(
  { changes }: WriteContext,
  run: { readonly n: number; readonly owner: string },
  { id, quarantine }: Extract<JournalAct, { type: "quarantine" }>,
): void {
  const data = JSON.stringify(quarantine);
  changes.insert("quarantine", {
    id,
    part: "result",
    owner: run.owner,
    run_n: run.n,
    data,
  });
}

/** A reviewer's whole answer, until it is carried out: what it names is as secret as the result. */
export function* keepReviewAnswer(
  { changes }: WriteContext,
  approval: { readonly id: string; readonly owner: string },
  answer: ReviewDecision,
): Script<void> {
  const { id, owner } = approval;
  const row = yield* first<{ run_n: number }>("SELECT run_n FROM approvals WHERE id = ?", id);
  const data = JSON.stringify(answer);
  changes.insert("quarantine", { id, part: "answer", owner, run_n: row?.run_n ?? 0, data });
}

/** Leaves nothing of a result but what its call was settled with. */
export function wipe({ changes }: WriteContext, id: string): void {
  changes.wipe("DELETE FROM quarantine WHERE id = ?", id);
}

/** The same for a run that is removed. */
export function wipeRun({ changes }: WriteContext, runN: number): void {
  changes.wipe("DELETE FROM quarantine WHERE run_n = ?", runN);
}
