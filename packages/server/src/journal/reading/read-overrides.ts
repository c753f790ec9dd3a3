import { type OverrideRow, overrideRecord, selectOverrides } from "../override-rows.ts";
import type { OverrideRecord } from "../records.ts";
import type { Sql } from "../sql.ts";

/** A user's own rules, in the order in which they were first made. */
export function listOverrides(sql: Sql, { owner }: { owner: string }): readonly OverrideRecord[] {
  return sql
    .all<OverrideRow>(`${selectOverrides} WHERE owner = ? ORDER BY created_at, id`, owner)
    .map(overrideRecord);
}
