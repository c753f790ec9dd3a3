import type { PolicyRule } from "@capstan/core";
import type { OverrideRecord } from "../../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { corruptRecord, readable } from "../page.ts";

/** The columns of a user's rule; add a `WHERE`. */
export const selectOverrides = (dialect: Dialect) =>
  `SELECT owner, id, created_at, updated_at, rule, ${isIntact(dialect, "overrides", "overrides")} AS is_intact
  FROM overrides`;

/** A row of `selectOverrides`. */
export interface OverrideRow extends CheckedRow {
  readonly owner: string;
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly rule: string;
}

/**
 * Returns the rule of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function overrideRecord(row: OverrideRow): OverrideRecord {
  requireIntact("overrides", row);
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
  (dialect) => `${selectOverrides(dialect)} WHERE owner = ? ORDER BY created_seq, id`,
);

/** Returns a user's own rules, in the order of creation. */
export function* listOverrides({ owner }: { owner: string }): Script<readonly OverrideRecord[]> {
  const rows = yield* all(findOverrides, owner);
  return rows.map((row) => readable(row, overrideRecord) ?? denyAll(row));
}

/**
 * Returns a rule that denies all calls, in place of a corrupt one. A user's rules only make
 * permissions stricter, so without the corrupt rule, calls that it denied could run.
 */
function denyAll({ id, owner }: OverrideRow): OverrideRecord {
  const reason = "One of your own rules is corrupt. Remove it to run calls again.";
  const rule = { tool: "*", execution: "deny", reason } as const;
  return { ...corruptRecord({ id }), owner, rule, createdAt: 0, updatedAt: 0 };
}
