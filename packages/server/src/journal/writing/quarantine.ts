import type { CallRecord, ReviewDecision } from "@capstan/core";
import type { Sql } from "../sql.ts";
import type { Writing } from "./writing.ts";

/** Keeps a result where its reviewer alone finds it. Another run may have it from the one that ran the call. */
export function intoQuarantine(
  { sql }: Writing,
  run: { readonly n: number; readonly owner: string },
  { review, quarantine }: CallRecord,
): void {
  if (review === undefined || quarantine === undefined) return;
  put(sql, { id: review.id, part: "result", owner: run.owner, runN: run.n, data: quarantine });
}

/** A reviewer's whole answer, until it is carried out: what it names is as secret as the result. */
export function keepReviewAnswer(
  { sql }: Writing,
  approval: { readonly id: string; readonly owner: string },
  answer: ReviewDecision,
): void {
  const { id, owner } = approval;
  const row = sql.get<{ run_n: number }>("SELECT run_n FROM approvals WHERE id = ?", id);
  put(sql, { id, part: "answer", owner, runN: row?.run_n ?? 0, data: answer });
}

/** Leaves nothing of a result but what its call was settled with. */
export function wipe(writing: Writing, id: string): void {
  overwriting(writing.sql, () => {
    if (writing.sql.run("DELETE FROM quarantine WHERE id = ?", id) > 0) writing.wiped = true;
  });
}

/** The same for a run that is removed. */
export function wipeRun(writing: Writing, runN: number): void {
  overwriting(writing.sql, () => {
    if (writing.sql.run("DELETE FROM quarantine WHERE run_n = ?", runN) > 0) writing.wiped = true;
  });
}

/**
 * After a commit: takes what was wiped out of the write-ahead log, too. Where a reader is in the
 * way it stays to be done after the next commit.
 */
export function clearLog(writing: Writing): void {
  if (!writing.wiped) return;
  const { sql } = writing;
  sql.exec("PRAGMA busy_timeout = 0");
  try {
    const row = sql.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    writing.wiped = row?.busy === 1;
  } catch {
    // What was committed stays so, and the log is cleared with a later commit.
  } finally {
    sql.exec("PRAGMA busy_timeout = 5000");
  }
}

function put(
  sql: Sql,
  row: { id: string; part: "result" | "answer"; owner: string; runN: number; data: unknown },
): void {
  overwriting(sql, () =>
    sql.run(
      "INSERT INTO quarantine (id, part, owner, run_n, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      row.id,
      row.part,
      row.owner,
      row.runN,
      JSON.stringify(row.data),
    ),
  );
}

/** SQLite leaves what is deleted, or moved within its pages, where it was, unless it is told to overwrite it. */
function overwriting(sql: Sql, change: () => void): void {
  sql.exec("PRAGMA secure_delete = ON");
  try {
    change();
  } finally {
    sql.exec("PRAGMA secure_delete = OFF");
  }
}
