import type { BlobStore } from "../blobs/blob-store.ts";
import { joinList } from "../blobs/split-inputs.ts";
import type { Clock } from "@capstan/core";
import { isClosing } from "../records/run-status.ts";
import type { PublishedPosition } from "../records/read-results.ts";
import type { SlowReadName, SlowReadQuery, SlowReadResult } from "./slow-reads.ts";
import { everyNextExpiry, getApproval, listApprovals } from "../read/permissions/read-approvals.ts";
import { parseChain } from "../read/read-chain.ts";
import { getConversation, listConversations } from "../read/read-conversations.ts";
import { readEventPage, findRunKey } from "../read/read-events.ts";
import { getGrant, listGrants, readGrants } from "../read/permissions/read-grants.ts";
import { findRun, getItem, listItems, listOutputs, readCalls } from "../read/read-ledger.ts";
import { listOverrides } from "../read/permissions/read-overrides.ts";
import { readReview } from "../read/permissions/read-reviews.ts";
import {
  everyOrphan,
  everyQueued,
  everyRunIn,
  everyRunOf,
  everySuspendedBefore,
  everySuspendedSince,
  getRun,
  listChildren,
  readInput,
} from "../read/read-runs.ts";
import { type PageQuery, cachePages } from "../read/page-cache.ts";
import type { CompactEvents, ListedRun, RunRecord, RunWithMessages } from "../records/records.ts";
import { shareReads } from "./share-reads.ts";
import type { Script } from "../sql/script.ts";
import type { RetentionReader, StoreReader } from "../records/store-reader.ts";
import { readEveryUsage } from "../read/retention/usage.ts";

/** The parts that a store reader needs. */
export interface ReadParts {
  /** A read by key. The script is made anew where it has to be run again. */
  readonly read: <T>(script: () => Script<T>) => Promise<T>;
  /** One whose statements must see the same moment. */
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly readSlow: <Name extends SlowReadName>(
    name: Name,
    query: SlowReadQuery<Name>,
  ) => Promise<SlowReadResult<Name>>;
  /** How far a run may be read; undefined where the database itself says so. */
  readonly positionOf: (runId: string) => PublishedPosition | undefined;
  /** The last number that was published; undefined where the database itself says so. */
  readonly lastSeqOf: (runId: string) => number | undefined;
  readonly clock: Clock;
  readonly blobs: BlobStore;
}

/** Creates the reading half of a store. */
export function createStoreReader({
  read,
  snapshot,
  readSlow,
  positionOf,
  lastSeqOf,
  clock,
  blobs,
}: ReadParts): StoreReader {
  const eventPage = (query: PageQuery) =>
    snapshot(() =>
      readEventPage({ ...query, position: positionOf(query.runId), now: clock.now() }),
    );

  const shareCompact = shareReads<CompactEvents>();

  /** Of a run under way SQLite may know more than was published. */
  function published<Run extends ListedRun>(run: Run): Run {
    if (isClosing(run.status)) return run;
    const lastSeq = lastSeqOf(run.id);
    return lastSeq === undefined ? run : { ...run, lastSeq };
  }
  const publishedOrNone = (run: RunRecord | undefined) =>
    run === undefined ? undefined : published(run);

  return {
    getRun: async (query) => publishedOrNone(await read(() => getRun(query))),
    readInput: async (query) => {
      const list = await read(() => readInput(query));
      return list && joinList(list, blobs);
    },
    readList: (list) => joinList(list, blobs),
    readBlob: (sha256) => blobs.get(sha256),
    streamBlob: (sha256) => blobs.stream(sha256),
    listRuns: async (query) => {
      const { data, hasMore } = await readSlow("listRuns", query);
      return { data: data.map((run) => published(run)), hasMore };
    },
    searchRuns: async (query) => {
      const { data, hasMore } = await readSlow("searchRuns", query);
      return { data: data.map((run) => published(run)), hasMore };
    },
    listChildren: async (query) =>
      (await read(() => listChildren(query))).map((run) => published(run)),
    ancestors: async (query) => {
      const line = await readSlow("ancestors", query);
      if (line === undefined) return undefined;
      const whole: RunWithMessages[] = [];
      for (const { run, messages } of line)
        whole.push({ run, messages: await joinList(messages, blobs) });
      return whole;
    },
    listCalls: (query) => readSlow("listCalls", query),
    everyOrphan: () => read(() => everyOrphan()),
    everyQueued: (query) => read(() => everyQueued(query)),
    everyRunIn: (query) => read(() => everyRunIn(query)),
    everyRunOf: (query) => read(() => everyRunOf(query)),

    readEvents: async ({ after = 0, limit = 256, ...run }) =>
      (await eventPage({ ...run, after, limit }))?.events,
    readEventPage: cachePages(
      eventPage,
      async (run) => (await read(() => findRunKey(run))) !== undefined,
    ),
    readEventsCompact: async ({ owner, runId }) => {
      const run = await read(() => findRunKey({ owner, runId }));
      if (run === undefined) return undefined;
      const readAll = () =>
        readSlow("readEventsCompact", { owner, runId, position: positionOf(runId) });
      // What a run has done by its end does not change.
      return run.ended_at === null ? readAll() : shareCompact(`${run.n} ${runId}`, readAll);
    },
    readChain: async ({ owner, runId }) => {
      const text = await readSlow("readChain", { owner, runId, position: positionOf(runId) });
      return text && parseChain(text, (list) => joinList(list, blobs));
    },
    readMessages: async (query) => {
      const list = await readSlow("readMessages", query);
      return list && joinList(list, blobs);
    },
    readCalls: (query) => read(() => readCalls(query)),
    listOutputs: (query) => read(() => listOutputs(query)),

    readManifest: (query) => readSlow("readManifest", query),
    readVariables: (query) => readSlow("readVariables", query),
    readValue: (query) => readSlow("readValue", query),

    ...createRetentionReader(readSlow),

    getApproval: (query) => read(() => getApproval(query)),
    listApprovals: (query) => read(() => listApprovals(query)),
    readReview: (query) => read(() => readReview(query)),
    everySuspendedBefore: (query) => read(() => everySuspendedBefore(query)),
    everySuspendedSince: () => read(() => everySuspendedSince()),
    everyNextExpiry: () => read(() => everyNextExpiry()),
    getGrant: (query) => read(() => getGrant(query)),
    readGrants: (query) => read(() => readGrants({ ...query, at: clock.now() })),
    listGrants: (query) => read(() => listGrants({ ...query, at: clock.now() })),
    listOverrides: (query) => read(() => listOverrides(query)),
    getConversation: (query) => read(() => getConversation(query)),
    listConversations: (query) => read(() => listConversations(query)),
    listItems: (query) => read(() => listItems(query)),
    getItem: (query) => read(() => getItem(query)),
    findRun: async (query) => publishedOrNone(await read(() => findRun(query))),
  };
}

/** Creates the reads that retention needs. They may take long. */
export function createRetentionReader(readSlow: ReadParts["readSlow"]): RetentionReader {
  return {
    everyOwner: () => readSlow("everyOwner", undefined),
    everyUnreachable: (query) => readSlow("everyUnreachable", query),
    everyUsage: () => readEveryUsage((place) => readSlow("usageSlice", place)),
    listUntouched: (query) => readSlow("listUntouched", query),
    getLineage: (query) => readSlow("getLineage", query),
  };
}
