import type { Script } from "../sql/script.ts";
import { listCalls } from "../read/list-calls.ts";
import { readCalls } from "../read/read-ledger.ts";
import { readChain } from "../read/read-chain.ts";
import { readEventPage, readEventsCompact } from "../read/read-events.ts";
import { ancestors, getRun, listRuns, readMessages } from "../read/read-runs.ts";
import { searchRuns } from "../read/search-runs.ts";
import { listUnindexedRuns, searchConversations } from "../read/search/search-conversations.ts";
import { readVectors, searchChunks } from "../read/search/search-chunks.ts";
import { usageSlice } from "../read/retention/usage.ts";
import { everyOwner, getLineage, listUntouched } from "../read/retention/read-retention.ts";
import { everyUnreachable } from "../read/retention/read-unreachable.ts";
import { readManifest, readValue, readVariables } from "../read/read-variables.ts";

/** Reads that can take long. SQLite runs them in a separate thread. */
export const slowReads = {
  ancestors,
  getRun,
  listCalls,
  readCalls,
  listRuns,
  searchRuns,
  readChain,
  readEventPage,
  readEventsCompact,
  readMessages,
  readManifest,
  readVariables,
  readValue,
  searchChunks,
  readVectors,
  searchConversations,
  listUnindexedRuns,
  everyOwner,
  usageSlice,
  everyUnreachable,
  listUntouched,
  getLineage,
};

type SlowReads = typeof slowReads;
/** The names of the slow reads. */
export type SlowReadName = keyof SlowReads;
/** The query of a slow read. */
export type SlowReadQuery<Name extends SlowReadName> = Parameters<SlowReads[Name]>[0];
/** The result of a slow read. */
export type SlowReadResult<Name extends SlowReadName> =
  ReturnType<SlowReads[Name]> extends Script<infer T> ? T : never;

/** A slow read as a message to a thread. */
export interface SlowRead {
  readonly name: SlowReadName;
  readonly query: SlowReadQuery<SlowReadName>;
}

/** Returns the script of a slow read by its name. */
export function slowRead<Name extends SlowReadName>(
  name: Name,
  query: SlowReadQuery<Name>,
): Script<SlowReadResult<Name>> {
  return slowReads[name](query as never) as Script<SlowReadResult<Name>>;
}
