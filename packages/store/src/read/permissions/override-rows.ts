import type { PolicyRule } from "@capstan/core";
import type { OverrideRecord } from "../../records/records.ts";

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
