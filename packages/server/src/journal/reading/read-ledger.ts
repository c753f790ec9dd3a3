import type { CallRecord, JsonValue } from "@capstan/core";
import type { CallEntry, ItemRecord, RunRecord } from "../records.ts";
import type { Sql } from "../sql.ts";
import { findRunN, getRun } from "./read-runs.ts";

export function readCalls(
  sql: Sql,
  query: { owner: string; runId: string },
): CallEntry[] | undefined {
  const run = findRunN(sql, query);
  if (run === undefined) return undefined;
  return sql
    .all<{ record: string; updated_at: number }>(
      "SELECT record, updated_at FROM run_calls WHERE run_n = ? ORDER BY n",
      run.n,
    )
    .map((row) => ({
      runId: query.runId,
      call: JSON.parse(row.record) as CallRecord,
      updatedAt: row.updated_at,
    }));
}

interface ItemRow {
  readonly id: string;
  readonly run_id: string;
  readonly direction: "input" | "output";
  readonly item: string;
}

const selectItems =
  "SELECT i.id, r.id AS run_id, i.direction, i.item FROM items i JOIN runs r ON r.n = i.run_n";

export function listItems(
  sql: Sql,
  query: { owner: string; runId: string; direction?: "input" | "output" },
): ItemRecord[] | undefined {
  const run = findRunN(sql, query);
  if (run === undefined) return undefined;
  // "input" comes before "output" in the alphabet as in a run.
  const rows = sql.all<ItemRow>(
    `${selectItems} WHERE i.run_n = ? ORDER BY i.direction, i.n`,
    run.n,
  );
  return rows
    .filter((row) => query.direction === undefined || row.direction === query.direction)
    .map(itemRecord);
}

export function getItem(sql: Sql, query: { owner: string; id: string }): ItemRecord | undefined {
  const row = sql.get<ItemRow>(
    `${selectItems} WHERE i.owner = ? AND i.id = ? ORDER BY i.run_n DESC, i.n DESC LIMIT 1`,
    query.owner,
    query.id,
  );
  return row === undefined ? undefined : itemRecord(row);
}

export function findRun(
  sql: Sql,
  query: { owner: string } & ({ itemId: string } | { callId: string }),
): RunRecord | undefined {
  const row =
    "itemId" in query
      ? sql.get<{ id: string }>(
          `SELECT r.id FROM items i JOIN runs r ON r.n = i.run_n WHERE i.owner = ? AND i.id = ? ORDER BY r.n DESC LIMIT 1`,
          query.owner,
          query.itemId,
        )
      : sql.get<{ id: string }>(
          `SELECT id FROM runs WHERE n = (SELECT MAX(run_n) FROM (
             SELECT run_n FROM run_calls WHERE owner = ? AND call_id = ?
             UNION ALL SELECT run_n FROM items WHERE owner = ? AND call_id = ?
           ) AS known)`,
          query.owner,
          query.callId,
          query.owner,
          query.callId,
        );
  return row === undefined ? undefined : getRun(sql, { owner: query.owner, id: row.id });
}

function itemRecord(row: ItemRow): ItemRecord {
  return {
    id: row.id,
    runId: row.run_id,
    direction: row.direction,
    item: JSON.parse(row.item) as JsonValue,
  };
}
