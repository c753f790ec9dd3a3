import { forgottenOwner } from "../../read/retention/lineage.ts";
import { all, first, type Script } from "../../sql/script.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { bytesOf, journalTexts } from "../../read/retention/usage.ts";
import { removeRun } from "../runs/remove-run.ts";
import type { WriteContext } from "../state/write-context.ts";

type Collect = Extract<StoreWrite, { type: "collect-forgotten" }>;

/** Rows of a table that belong to one session or run, in the order of a key: columns that tell each from the others. */
interface Rows {
  readonly table: string;
  readonly of: string;
  readonly key: string;
  readonly columns: readonly string[];
}

const ofSession: readonly Rows[] = [
  { table: "variable_values", of: "session_id = ?", key: "digest", columns: ["value"] },
  { table: "manifests", of: "session_id = ?", key: "digest", columns: ["entries"] },
];

const ofRun: readonly Rows[] = [
  { table: "run_journal", of: "run_n = ?", key: "seq, nth", columns: journalTexts },
  {
    table: "answerable_calls",
    of: "run_n = ?",
    key: "call_id, answered_by",
    columns: ["call_id"],
  },
  { table: "client_outputs", of: "run_n = ?", key: "call_id", columns: ["output"] },
  { table: "run_variables", of: "run_n = ?", key: "n", columns: ["changes"] },
  { table: "items", of: "direction = 'input' AND run_n = ?", key: "n", columns: ["item"] },
  { table: "items", of: "direction = 'output' AND run_n = ?", key: "n", columns: ["item"] },
  { table: "approvals", of: "run_n = ?", key: "id", columns: ["request", "answer"] },
  { table: "run_requests", of: "run_n = ?", key: "run_n", columns: ["request", "input"] },
  { table: "run_results", of: "run_n = ?", key: "run_n", columns: ["result"] },
];

/** What one commit may still delete. One row is always taken, however large it is. */
interface Budget {
  rows: number;
  bytes: number;
}

/**
 * Deletes rows of forgotten runs, as many as a commit may without holding up others. The run's own
 * row is its last, so that what a crash leaves is found again.
 */
export function* collectForgotten(
  context: WriteContext,
  { rows, bytes }: Collect,
): Script<OutcomeOf<Collect>> {
  const budget: Budget = { rows, bytes };
  while (budget.rows > 0 && budget.bytes > 0) {
    const run = yield* first<{ n: number; session_id: string }>(
      `SELECT n, session_id FROM runs WHERE owner = ? ORDER BY n LIMIT 1${context.dialect.lock("runs")}`,
      forgottenOwner,
    );
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

/** Deletes rows up to what the budget has left. @returns whether all are gone */
function* take(
  { changes }: WriteContext,
  { table, of, key, columns }: Rows,
  id: string | number,
  budget: Budget,
): Script<boolean> {
  if (budget.rows <= 0 || budget.bytes <= 0) return false;
  const rows = yield* all<{ readonly [column: string]: string | number } & { bytes: number }>(
    `SELECT ${key}, ${bytesOf(columns)} AS bytes FROM ${table} WHERE ${of} ORDER BY ${key} LIMIT ?`,
    id,
    budget.rows + 1,
  );
  let taken = 0;
  for (const row of rows) {
    if (budget.rows <= 0 || budget.bytes <= 0) break;
    budget.rows -= 1;
    budget.bytes -= row.bytes;
    taken += 1;
  }
  const last = rows[taken - 1];
  if (last !== undefined) {
    const { bytes: _bytes, ...place } = last;
    const values = Object.values(place);
    const marks = values.map(() => "?").join(", ");
    changes.run(`DELETE FROM ${table} WHERE ${of} AND (${key}) <= (${marks})`, id, ...values);
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
