import type { CompletionRecord } from "../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { pageLimit } from "./page.ts";

interface CompletionRow extends CheckedRow {
  readonly id: string;
  readonly choice: number;
  readonly metadata: string;
}

const tables = { reads: ["completions", "runs"] } as const;

const selectCompletions = (dialect: Dialect) =>
  `SELECT r.id, c.choice, c.metadata, ${isIntact(dialect, "completions", "c")} AS is_intact
   FROM completions c JOIN runs r ON r.n = c.run_n`;

const findChoices = statement<CompletionRow>(
  tables,
  (dialect) =>
    `${selectCompletions(dialect)} WHERE c.completion_id = ? AND r.owner = ? ORDER BY c.choice, c.run_n`,
);

// A forgotten run has another owner, but its row here keeps the former one.
const ofOwner =
  "WHERE c.owner = ? AND c.choice = 0 AND r.owner = c.owner AND (CAST(? AS TEXT) IS NULL OR c.model = ?)";

const findNext = statement<CompletionRow>(
  tables,
  (dialect) => `${selectCompletions(dialect)} ${ofOwner}
     AND c.run_n > COALESCE((SELECT n FROM runs WHERE id = ? AND owner = ?), 0)
   ORDER BY c.run_n LIMIT ?`,
);

const findPrevious = statement<CompletionRow>(
  tables,
  (dialect) => `${selectCompletions(dialect)} ${ofOwner}
     AND (CAST(? AS TEXT) IS NULL OR c.run_n < (SELECT n FROM runs WHERE id = ? AND owner = ?))
   ORDER BY c.run_n DESC LIMIT ?`,
);

/** Returns a stored chat completion by the id of its first run. */
export function* getCompletion({
  owner,
  id,
}: {
  readonly owner: string;
  readonly id: string;
}): Script<CompletionRecord | undefined> {
  const rows = yield* all(findChoices, id, owner);
  const [row] = rows;
  if (row === undefined || row.id !== id) return undefined;
  requireIntact("completions", ...rows);
  return { ...completionRecord(row), runIds: rows.map((each) => each.id) };
}

/**
 * Returns an owner's chat completions. Corrupt completions have no metadata.
 *
 * @param query.after the run of the completion after which the list continues
 */
export function* listCompletions({
  owner,
  model,
  order = "asc",
  after,
  limit,
}: {
  readonly owner: string;
  readonly model?: string;
  readonly order?: "asc" | "desc";
  readonly after?: string;
  readonly limit?: number;
}): Script<readonly Omit<CompletionRecord, "runIds">[]> {
  const [wanted, cursor] = [model ?? null, after ?? null];
  const count = pageLimit(limit);
  const rows =
    order === "asc"
      ? yield* all(findNext, owner, wanted, wanted, cursor, owner, count)
      : yield* all(findPrevious, owner, wanted, wanted, cursor, cursor, owner, count);
  return rows.map((row) =>
    row.is_intact === 1 ? completionRecord(row) : { id: row.id, metadata: {} },
  );
}

function completionRecord({ id, metadata }: CompletionRow): Omit<CompletionRecord, "runIds"> {
  return { id, metadata: JSON.parse(metadata) as CompletionRecord["metadata"] };
}
