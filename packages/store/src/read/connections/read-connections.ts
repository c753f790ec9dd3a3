import type { JsonObject } from "@capstan/core";
import type { ConnectionRecord } from "../../records/connections.ts";
import type { CorruptRecord } from "../../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { corruptRecord, readable } from "../page.ts";

/** The columns of a connection; add a `WHERE`. */
export const selectConnections = (dialect: Dialect) =>
  `SELECT name, created_by, created_at, updated_at, settings, ${isIntact(dialect, "connections", "connections")} AS is_intact
  FROM connections`;

/** A row of `selectConnections`. */
export interface ConnectionRow extends CheckedRow {
  readonly name: string;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly settings: string;
}

/**
 * Returns the connection of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function connectionRecord(row: ConnectionRow): ConnectionRecord {
  requireIntact("connections", row);
  return {
    name: row.name,
    createdBy: row.created_by,
    settings: JSON.parse(row.settings) as JsonObject,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const findConnections = statement<ConnectionRow>(
  { reads: ["connections"] },
  (dialect) => `${selectConnections(dialect)} ORDER BY name`,
);

/** Returns the connections that users added, by name. A corrupt one is an entry without settings. */
export function* everyConnection(): Script<readonly (ConnectionRecord | CorruptRecord)[]> {
  const rows = yield* all(findConnections);
  return rows.map((row) => readable(row, connectionRecord) ?? corruptRecord({ id: row.name }));
}
