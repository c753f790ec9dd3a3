import type { JsonValue } from "@capstan/core";
import { idKey } from "../sql/id-key.ts";
import type { CallEntry, ItemRecord, RunRecord } from "../records/records.ts";
import { all, first, type Script } from "../sql/script.ts";
import { callsOf } from "./read-journal.ts";
import { findRunKey, getRun } from "./read-runs.ts";

export function* readCalls(query: {
  owner: string;
  runId: string;
}): Script<CallEntry[] | undefined> {
  const run = yield* findRunKey(query);
  return run && (yield* callsOf({ n: run.n, id: query.runId }));
}

interface ItemRow {
  readonly id: string;
  readonly run_id: string;
  readonly direction: "input" | "output";
  readonly item: string;
}

// A run that is forgotten has another owner. In this form nobody looks through all runs of the owner for it.
const selectItems =
  "SELECT i.id, r.id AS run_id, i.direction, i.item FROM items i JOIN runs r ON r.n = i.run_n AND r.owner || '' = i.owner || ''";

export function* listItems(query: {
  owner: string;
  runId: string;
  direction?: "input" | "output";
}): Script<ItemRecord[] | undefined> {
  const run = yield* findRunKey(query);
  if (run === undefined) return undefined;
  // "input" comes before "output" in the alphabet as in a run.
  const rows = yield* all<ItemRow>(
    `${selectItems} WHERE i.run_n = ? ORDER BY i.direction, i.n`,
    run.n,
  );
  return rows
    .filter((row) => query.direction === undefined || row.direction === query.direction)
    .map(itemRecord);
}

export function* getItem(query: { owner: string; id: string }): Script<ItemRecord | undefined> {
  const row = yield* first<ItemRow>(
    `${selectItems} WHERE i.owner = ? AND i.id = ? ORDER BY i.run_n DESC, i.n DESC LIMIT 1`,
    query.owner,
    idKey(query.id),
  );
  return row === undefined ? undefined : itemRecord(row);
}

export function* findRun(
  query: { owner: string } & ({ itemId: string } | { callId: string }),
): Script<RunRecord | undefined> {
  const row =
    "itemId" in query
      ? yield* first<{ id: string }>(
          `SELECT r.id FROM items i JOIN runs r ON r.n = i.run_n WHERE i.owner = ? AND i.id = ? ORDER BY r.n DESC LIMIT 1`,
          query.owner,
          idKey(query.itemId),
        )
      : yield* first<{ id: string }>(
          `SELECT id FROM runs WHERE n = (SELECT MAX(run_n) FROM (
             SELECT run_n FROM answerable_calls WHERE owner = ? AND call_id = ?
             UNION ALL SELECT run_n FROM items WHERE owner = ? AND call_id = ?
           ) AS known)`,
          query.owner,
          idKey(query.callId),
          query.owner,
          idKey(query.callId),
        );
  return row === undefined ? undefined : yield* getRun({ owner: query.owner, id: row.id });
}

function itemRecord(row: ItemRow): ItemRecord {
  const item = JSON.parse(row.item) as JsonValue;
  const own = item !== null && typeof item === "object" && "id" in item ? item["id"] : undefined;
  return {
    id: typeof own === "string" && idKey(own) === row.id ? own : row.id,
    runId: row.run_id,
    direction: row.direction,
    item,
  };
}
