import type { JsonObject } from "@capstan/core";
import type { AgentRecord, CorruptRecord } from "../../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { corruptRecord, readable } from "../page.ts";

/** The columns of a user's agent; add a `WHERE`. */
export const selectAgents = (dialect: Dialect) =>
  `SELECT owner, name, created_at, updated_at, agent, ${isIntact(dialect, "agents", "agents")} AS is_intact
  FROM agents`;

/** A row of `selectAgents`. */
export interface AgentRow extends CheckedRow {
  readonly owner: string;
  readonly name: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly agent: string;
}

/**
 * Returns the agent of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function agentRecord(row: AgentRow): AgentRecord {
  requireIntact("agents", row);
  return {
    owner: row.owner,
    name: row.name,
    agent: JSON.parse(row.agent) as JsonObject,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const findAgents = statement<AgentRow>(
  { reads: ["agents"] },
  (dialect) => `${selectAgents(dialect)} WHERE owner = ? ORDER BY name`,
);

const findAgent = statement<AgentRow>(
  { reads: ["agents"] },
  (dialect) => `${selectAgents(dialect)} WHERE owner = ? AND name = ?`,
);

/** Returns a user's own agents by name. A corrupt one is an entry without its content. */
export function* listAgents({
  owner,
}: {
  owner: string;
}): Script<readonly (AgentRecord | CorruptRecord)[]> {
  const rows = yield* all(findAgents, owner);
  return rows.map((row) => readable(row, agentRecord) ?? corruptRecord({ id: row.name }));
}

/** Returns an agent of a user. */
export function* getAgent({
  owner,
  name,
}: {
  owner: string;
  name: string;
}): Script<AgentRecord | undefined> {
  const row = yield* first(findAgent, owner, name);
  return row && agentRecord(row);
}
