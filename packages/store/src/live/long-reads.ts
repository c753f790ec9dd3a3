import type { Script } from "../sql/script.ts";
import { listCalls } from "../read/list-calls.ts";
import { readChain } from "../read/read-chain.ts";
import { readEventsCompact } from "../read/read-events.ts";
import { ancestors, listRuns, readMessages } from "../read/read-runs.ts";
import { usageSlice } from "../read/retention/usage.ts";
import {
  everyOwner,
  everyShorterCuts,
  getLineage,
  listUntouched,
} from "../read/retention/read-retention.ts";
import { everyUnreachable } from "../read/retention/read-unreachable.ts";
import { readManifest, readValue, readVariables } from "../read/read-variables.ts";

/** Reads that may take long: SQLite does them in a thread of their own. */
export const longReads = {
  ancestors,
  listCalls,
  listRuns,
  readChain,
  readEventsCompact,
  readMessages,
  readManifest,
  readVariables,
  readValue,
  everyOwner,
  usageSlice,
  everyUnreachable,
  listUntouched,
  getLineage,
  everyShorterCuts,
};

type LongReads = typeof longReads;
export type LongReadName = keyof LongReads;
export type LongReadQuery<Name extends LongReadName> = Parameters<LongReads[Name]>[0];
export type LongReadResult<Name extends LongReadName> =
  ReturnType<LongReads[Name]> extends Script<infer T> ? T : never;

export interface LongRead {
  readonly name: LongReadName;
  readonly query: LongReadQuery<LongReadName>;
}

/** A read by its name. */
export function longRead<Name extends LongReadName>(
  name: Name,
  query: LongReadQuery<Name>,
): Script<LongReadResult<Name>> {
  return longReads[name](query as never) as Script<LongReadResult<Name>>;
}
