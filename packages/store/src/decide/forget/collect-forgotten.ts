import { forgottenOwner } from "../../read/retention/lineage.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { type SqlStatement, statement } from "../../sql/statement.ts";
import type { RowTable } from "../../sql/tables.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { bytesOf, journalTexts } from "../../read/retention/usage.ts";
import { removeRun } from "./delete-runs.ts";
import type { WriteContext } from "../state/write-context.ts";

type Collect = Extract<StoreWrite, { type: "collect-forgotten" }>;

/** Rows of a table that belong to one session or run, in the order of a key. */
interface Rows {
  readonly select: SqlStatement<{ readonly [column: string]: string | number } & { bytes: number }>;
  readonly remove: SqlStatement;
}

/**
 * @param key the columns that identify a row
 */
function rowsOf(
  table: RowTable,
  of: string,
  { key, texts }: { readonly key: string; readonly texts: readonly string[] },
): Rows {
  const marks = key.split(",").map(() => "?");
  return {
    select: statement(
      { reads: [table] },
      `SELECT ${key}, ${bytesOf(texts)} AS bytes FROM ${table} WHERE ${of} ORDER BY ${key} LIMIT ?`,
    ),
    remove: statement(
      { writes: [table] },
      `DELETE FROM ${table} WHERE ${of} AND (${key}) <= (${marks.join(", ")})`,
    ),
  };
}

const ofSession: readonly Rows[] = [
  rowsOf("variable_values", "session_id = ?", { key: "digest", texts: ["value"] }),
  rowsOf("manifests", "session_id = ?", { key: "digest", texts: ["entries"] }),
];

const ofRun: readonly Rows[] = [
  rowsOf("run_journal", "run_n = ?", { key: "seq, nth", texts: journalTexts }),
  rowsOf("answerable_calls", "run_n = ?", { key: "call_id, answered_by", texts: ["call_id"] }),
  rowsOf("client_outputs", "run_n = ?", { key: "call_id", texts: ["output"] }),
  rowsOf("run_variables", "run_n = ?", { key: "n", texts: ["changes"] }),
  rowsOf("items", "direction = 'input' AND run_n = ?", { key: "n", texts: ["item"] }),
  rowsOf("items", "direction = 'output' AND run_n = ?", { key: "n", texts: ["item"] }),
  rowsOf("approvals", "run_n = ?", { key: "id", texts: ["request", "answer"] }),
  rowsOf("run_requests", "run_n = ?", { key: "run_n", texts: ["request", "input", "full_input"] }),
  rowsOf("run_results", "run_n = ?", { key: "run_n", texts: ["result", "replay"] }),
  rowsOf("run_blobs", "run_n = ?", { key: "sha256", texts: ["sha256"] }),
  rowsOf("run_files", "run_n = ?", { key: "file_id", texts: ["file_id"] }),
  rowsOf("completions", "run_n = ?", { key: "run_n", texts: ["model", "metadata"] }),
  rowsOf("run_words", "run_n = ?", { key: "run_n", texts: ["words"] }),
  rowsOf("run_usage", "run_n = ?", { key: "run_n", texts: ["owner"] }),
];

const lockForgotten = statement<{ n: number; session_id: string }>(
  { reads: ["runs"] },
  ({ lock }) => `SELECT n, session_id FROM runs WHERE owner = ? ORDER BY n LIMIT 1${lock("runs")}`,
);

/**
 * The rows and bytes that one commit can still delete. It deletes at least one row, however large
 * it is.
 */
interface Budget {
  rows: number;
  bytes: number;
}

/**
 * Deletes rows of forgotten runs, as many as one commit can delete without delaying others. The
 * run's own row is deleted last, so that a later collection finds the run after a crash.
 */
export function* collectForgotten(
  context: WriteContext,
  { rows, bytes }: Collect,
): Script<OutcomeOf<Collect>> {
  const budget: Budget = { rows, bytes };
  while (budget.rows > 0 && budget.bytes > 0) {
    const run = yield* first(lockForgotten, forgottenOwner);
    if (run === undefined) return collected({ rows, bytes }, budget, false);
    let isEmpty = true;
    for (const of of ofSession) isEmpty &&= yield* take(context, of, run.session_id, budget);
    for (const of of ofRun) isEmpty &&= yield* take(context, of, run.n, budget);
    if (!isEmpty || budget.rows <= 0) break;
    removeRun(context, run.n);
    budget.rows -= 1;
  }
  return collected({ rows, bytes }, budget, true);
}

/**
 * Deletes rows within the budget.
 *
 * @returns whether all rows are deleted
 */
function* take(
  { changes }: WriteContext,
  { select, remove }: Rows,
  id: string | number,
  budget: Budget,
): Script<boolean> {
  if (budget.rows <= 0 || budget.bytes <= 0) return false;
  const rows = yield* all(select, id, budget.rows + 1);
  let taken = 0;
  for (const row of rows) {
    if (budget.rows <= 0 || budget.bytes <= 0) break;
    budget.rows -= 1;
    budget.bytes -= row.bytes;
    taken += 1;
  }
  const last = rows[taken - 1];
  if (last !== undefined) {
    const { bytes: _bytes, ...key } = last;
    changes.run(remove, id, ...Object.values(key));
  }
  return taken === rows.length;
}

function collected(given: Budget, left: Budget, more: boolean): OutcomeOf<Collect> {
  return {
    status: "collected",
    rows: given.rows - left.rows,
    bytes: given.bytes - left.bytes,
    more,
  };
}
