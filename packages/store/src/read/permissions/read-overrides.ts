import type { PolicyRule } from "@capstan/core";
import type { OverrideRecord } from "../../records/records.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

export const selectOverrides = "SELECT owner, id, created_at, updated_at, rule FROM overrides";

export interface OverrideRow {
  readonly owner: string;
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly rule: string;
}

export function overrideRecord(row: OverrideRow): OverrideRecord {
  return {
    owner: row.owner,
    id: row.id,
    rule: JSON.parse(row.rule) as PolicyRule,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const findOverrides = statement<OverrideRow>(
  { reads: ["overrides"] },
  `${selectOverrides} WHERE owner = ? ORDER BY created_at, id`,
);

/** A user's own rules, in the order in which they were first made. */
export function* listOverrides({ owner }: { owner: string }): Script<readonly OverrideRecord[]> {
  const rows = yield* all(findOverrides, owner);
  return rows.map(overrideRecord);
}
