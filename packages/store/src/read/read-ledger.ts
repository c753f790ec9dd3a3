import type { JsonValue } from "@capstan/core";
import type { ClientOutput } from "@capstan/core/host";
import { idKey } from "../sql/id-key.ts";
import type { CallEntry, ItemRecord, RunRecord } from "../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { callsOf } from "./read-journal.ts";
import { getRun } from "./read-runs.ts";
import { findRunKey, longBytes } from "./read-events.ts";

/** Returns the calls of a run, in the order in which they were proposed. */
export function* readCalls(query: {
  owner: string;
  runId: string;
}): Script<CallEntry[] | undefined> {
  const run = yield* findRunKey(query);
  return run && (yield* callsOf({ n: run.n, id: query.runId }));
}

const findCallsSize = statement<{ bytes: number | null }>(
  { reads: ["runs", "run_journal"] },
  `SELECT SUM(octet_length(calls)) AS bytes FROM run_journal
   WHERE run_n = (SELECT n FROM runs WHERE id = ?)`,
);

/** Returns whether the calls of a run are long. Databases know their length without reading them. */
export function* hasLongCalls({ runId }: { readonly runId: string }): Script<boolean> {
  const row = yield* first(findCallsSize, runId);
  return (row?.bytes ?? 0) > longBytes;
}

interface ItemRow extends CheckedRow {
  readonly id: string;
  readonly run_id: string;
  readonly direction: "input" | "output";
  readonly item: string;
}

// A forgotten run has no user as its owner. This form keeps queries from searching all runs of the
// owner for it.
const selectItems = (dialect: Dialect) => `SELECT i.id, r.id AS run_id, i.direction, i.item,
  ${isIntact(dialect, "items", "i")} AS is_intact
  FROM items i JOIN runs r ON r.n = i.run_n AND r.owner || '' = i.owner || ''`;

const tables = { reads: ["items", "runs"] } as const;

const findItems = statement<ItemRow>(
  tables,
  // "input" is before "output" in the alphabet, as it is in a run.
  (dialect) => `${selectItems(dialect)} WHERE i.run_n = ? ORDER BY i.direction, i.n`,
);

const findNewestItem = statement<ItemRow>(
  tables,
  (dialect) =>
    `${selectItems(dialect)} WHERE i.owner = ? AND i.id = ? ORDER BY i.run_n DESC, i.n DESC LIMIT 1`,
);

const findRunOfItem = statement<{ id: string }>(
  tables,
  "SELECT r.id FROM items i JOIN runs r ON r.n = i.run_n WHERE i.owner = ? AND i.id = ? ORDER BY r.n DESC LIMIT 1",
);

const findRunOfCall = statement<{ id: string }>(
  { reads: ["answerable_calls", "items", "runs"] },
  `SELECT id FROM runs WHERE n = (SELECT MAX(run_n) FROM (
     SELECT run_n FROM answerable_calls WHERE owner = ? AND call_id = ?
     UNION ALL SELECT run_n FROM items WHERE owner = ? AND call_id = ?
   ) AS known)`,
);

/** Returns the Responses items of a run, in order. */
export function* listItems(query: {
  owner: string;
  runId: string;
  direction?: "input" | "output";
}): Script<ItemRecord[] | undefined> {
  const run = yield* findRunKey(query);
  if (run === undefined) return undefined;
  const rows = yield* all(findItems, run.n);
  return rows
    .filter((row) => query.direction === undefined || row.direction === query.direction)
    .map(itemRecord);
}

/** Returns the newest item with an id. */
export function* getItem(query: { owner: string; id: string }): Script<ItemRecord | undefined> {
  const row = yield* first(findNewestItem, query.owner, idKey(query.id));
  return row === undefined ? undefined : itemRecord(row);
}

/** Returns the newest run with an item or a call of this id. */
export function* findRun(
  query: { owner: string } & ({ itemId: string } | { callId: string }),
): Script<RunRecord | undefined> {
  const { owner } = query;
  const key = idKey("itemId" in query ? query.itemId : query.callId);
  const row =
    "itemId" in query
      ? yield* first(findRunOfItem, owner, key)
      : yield* first(findRunOfCall, owner, key, owner, key);
  return row === undefined ? undefined : yield* getRun({ owner, id: row.id });
}

const findOutputs = statement<CheckedRow & { run_n: number; call_id: string; output: string }>(
  { reads: ["client_outputs", "runs"] },
  (
    dialect,
  ) => `SELECT run_n, call_id, output, ${isIntact(dialect, "client_outputs", "o")} AS is_intact
   FROM client_outputs o WHERE run_n = (SELECT n FROM runs WHERE id = ? AND owner = ?)
     AND output IS NOT NULL ORDER BY submitted_at, call_id`,
);

/** Returns the outputs that clients submitted and the run has not read yet. */
export function* listOutputs(query: { owner: string; runId: string }): Script<ClientOutput[]> {
  const rows = yield* all(findOutputs, query.runId, query.owner);
  const [row] = rows;
  if (row === undefined) return [];
  requireIntact("client_outputs", ...rows);
  const calls = yield* callsOf({ n: row.run_n, id: query.runId });
  const ids = new Map(calls.map(({ call: { callId } }) => [idKey(callId), callId]));
  return rows.map(({ call_id: key, output }) => ({
    callId: ids.get(key) ?? key,
    output: JSON.parse(output) as string,
  }));
}

function itemRecord(row: ItemRow): ItemRecord {
  requireIntact("items", row);
  const item = JSON.parse(row.item) as JsonValue;
  const own = item !== null && typeof item === "object" && "id" in item ? item["id"] : undefined;
  return {
    id: typeof own === "string" && idKey(own) === row.id ? own : row.id,
    runId: row.run_id,
    direction: row.direction,
    item,
  };
}
