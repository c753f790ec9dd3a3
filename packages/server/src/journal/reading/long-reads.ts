import type { Sql } from "../sql.ts";
import { readEventsCompact } from "./read-events.ts";
import { ancestors, listRuns, readMessages } from "./read-runs.ts";
import { readManifest, readValue } from "./read-variables.ts";

/** Reads that may take long, and are done in a thread of their own. */
export const longReads = {
  ancestors,
  listRuns,
  readEventsCompact,
  readMessages,
  readManifest,
  readValue,
};

export type LongReadName = keyof typeof longReads;
export type LongReadQuery<Name extends LongReadName> = Parameters<(typeof longReads)[Name]>[1];
export type LongReadResult<Name extends LongReadName> = ReturnType<(typeof longReads)[Name]>;

export interface LongRead {
  readonly name: LongReadName;
  readonly query: LongReadQuery<LongReadName>;
}

/** Runs a read by name, wherever its connection is. */
export function runLongRead<Name extends LongReadName>(
  sql: Sql,
  name: Name,
  query: LongReadQuery<Name>,
): LongReadResult<Name> {
  return longReads[name](sql, query as never) as LongReadResult<Name>;
}
