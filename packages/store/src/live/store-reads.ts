import type { Clock } from "@capstan/core";
import { isClosing } from "../records/run-status.ts";
import type { Position } from "../records/readings.ts";
import type { LongReadName, LongReadQuery, LongReadResult } from "./long-reads.ts";
import { everyNextExpiry, getApproval, listApprovals } from "../read/permissions/read-approvals.ts";
import { chainOf } from "../read/read-chain.ts";
import { getConversation, listConversations } from "../read/read-conversations.ts";
import { readEventPage } from "../read/read-events.ts";
import { getGrant, listGrants, readGrants } from "../read/permissions/read-grants.ts";
import { findRun, getItem, listItems, readCalls } from "../read/read-ledger.ts";
import { listOutputs } from "../read/read-outputs.ts";
import { listOverrides } from "../read/permissions/read-overrides.ts";
import { everyParkedBefore, everyParkedSince } from "../read/read-parked.ts";
import { readReview } from "../read/permissions/read-reviews.ts";
import {
  everyOrphan,
  everyQueued,
  everyRunIn,
  everyRunOf,
  findRunN,
  getRun,
  listChildren,
} from "../read/read-runs.ts";
import { searchRuns } from "../read/search-runs.ts";
import { type PageQuery, pagesInParts } from "../read/page-parts.ts";
import type { EventPage, RunRecord } from "../records/records.ts";
import type { Script } from "../sql/script.ts";
import type { RetentionReading, StoreReading } from "../records/store-reading.ts";
import { readEveryUsage } from "../read/retention/usage.ts";

/** What reading a store takes. */
export interface ReadParts {
  /** A read by key. The script is made anew where it has to be run again. */
  readonly read: <T>(script: () => Script<T>) => Promise<T>;
  /** One whose statements must see the same moment. */
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly readLong: <Name extends LongReadName>(
    name: Name,
    query: LongReadQuery<Name>,
  ) => Promise<LongReadResult<Name>>;
  /** How far a run may be read; undefined where the database itself says so. */
  readonly positionOf: (runId: string) => Position | undefined;
  /** The last number that was published; undefined where the database itself says so. */
  readonly lastSeqOf: (runId: string) => number | undefined;
  readonly clock: Clock;
  /** Reads a page where several runs' are better read together. @default each by itself */
  readonly eventPage?: (query: PageQuery) => Promise<EventPage | undefined>;
  /** The same of what runs begin and go on with. */
  readonly sessionGrants?: StoreReading["readGrants"];
}

/** The reading half of a store. */
export function storeReads({
  read,
  snapshot,
  readLong,
  positionOf,
  lastSeqOf,
  clock,
  eventPage = async (query) =>
    snapshot(() => readEventPage({ ...query, position: positionOf(query.runId) })),
  sessionGrants = (query) => read(() => readGrants({ ...query, at: clock.now() })),
}: ReadParts): StoreReading {
  /** Of a run under way SQLite may know more than was published. */
  function published(run: RunRecord): RunRecord {
    if (isClosing(run.status)) return run;
    const lastSeq = lastSeqOf(run.id);
    return lastSeq === undefined ? run : { ...run, lastSeq };
  }
  const publishedOrNone = (run: RunRecord | undefined) =>
    run === undefined ? undefined : published(run);

  return {
    getRun: async (query) => publishedOrNone(await read(() => getRun(query))),
    listRuns: async (query) => (await readLong("listRuns", query)).map(published),
    searchRuns: async (query) => {
      const { data, hasMore } = await read(() => searchRuns(query));
      return { data: data.map(published), hasMore };
    },
    listChildren: async (query) => (await read(() => listChildren(query))).map(published),
    ancestors: (query) => readLong("ancestors", query),
    listCalls: (query) => readLong("listCalls", query),
    everyOrphan: () => read(() => everyOrphan()),
    everyQueued: (query) => read(() => everyQueued(query)),
    everyRunIn: (query) => read(() => everyRunIn(query)),
    everyRunOf: (query) => read(() => everyRunOf(query)),

    readEvents: async ({ after = 0, limit = 256, ...run }) =>
      (await eventPage({ ...run, after, limit }))?.events,
    readEventPage: pagesInParts(
      eventPage,
      async (run) => (await read(() => findRunN(run))) !== undefined,
    ),
    readEventsCompact: async ({ owner, runId }) =>
      readLong("readEventsCompact", { owner, runId, position: positionOf(runId) }),
    readChain: async ({ owner, runId }) => {
      const text = await readLong("readChain", { owner, runId, position: positionOf(runId) });
      return text && chainOf(text);
    },
    readMessages: (query) => readLong("readMessages", query),
    readCalls: (query) => read(() => readCalls(query)),
    listOutputs: (query) => read(() => listOutputs(query)),

    readManifest: (query) => readLong("readManifest", query),
    readVariables: (query) => readLong("readVariables", query),
    readValue: (query) => readLong("readValue", query),

    ...retentionReads(readLong),

    getApproval: (query) => read(() => getApproval(query)),
    listApprovals: (query) => read(() => listApprovals(query)),
    readReview: (query) => read(() => readReview(query)),
    everyParkedBefore: (query) => read(() => everyParkedBefore(query)),
    everyParkedSince: () => read(() => everyParkedSince()),
    everyNextExpiry: () => read(() => everyNextExpiry()),
    getGrant: (query) => read(() => getGrant(query)),
    readGrants: sessionGrants,
    listGrants: (query) => read(() => listGrants({ ...query, at: clock.now() })),
    listOverrides: (query) => read(() => listOverrides(query)),
    getConversation: (query) => read(() => getConversation(query)),
    listConversations: (query) => read(() => listConversations(query)),
    listItems: (query) => read(() => listItems(query)),
    getItem: (query) => read(() => getItem(query)),
    findRun: async (query) => publishedOrNone(await read(() => findRun(query))),
  };
}

/** What retention goes by, which may take long. */
export function retentionReads(readLong: ReadParts["readLong"]): RetentionReading {
  return {
    everyOwner: () => readLong("everyOwner", undefined),
    everyUnreachable: (query) => readLong("everyUnreachable", query),
    everyUsage: () => readEveryUsage((place) => readLong("usageSlice", place)),
    listUntouched: (query) => readLong("listUntouched", query),
    getLineage: (query) => readLong("getLineage", query),
    everyShorterCuts: (query) => readLong("everyShorterCuts", query),
  };
}
