import type { BlobStore } from "../blobs/blob-store.ts";
import type { ByteRange } from "../blobs/received-blob.ts";
import { isListBlob, joinList, partsOfList, type StoredList } from "../blobs/split-inputs.ts";
import type { Clock } from "@capstan/core";
import { isClosing } from "../records/run-status.ts";
import type { PublishedPosition } from "../records/read-results.ts";
import type { SlowReadName, SlowReadQuery, SlowReadResult } from "./slow-reads.ts";
import {
  everyPendingApproval,
  findApprovalCursor,
  getApproval,
  listApprovals,
} from "../read/permissions/read-approvals.ts";
import { everyConnection } from "../read/connections/read-connections.ts";
import { everyCredential, getCredential } from "../read/connections/read-credentials.ts";
import { everyShareOf, getShare, listShares } from "../read/permissions/read-shares.ts";
import { getAgent, listAgents } from "../read/permissions/read-agents.ts";
import { readTokenUsage } from "../read/read-token-usage.ts";
import { getConversation, listConversations } from "../read/read-conversations.ts";
import { findRunKey, isLongPage, readEventPage } from "../read/read-events.ts";
import { getCompletion, listCompletions } from "../read/read-completions.ts";
import {
  countBatchFiles,
  countStoreFiles,
  everyUnindexedOwner,
  listUnindexed,
  getSearchObject,
  listSearchObjects,
} from "../read/search/read-objects.ts";
import { readChunks, readStoreFile } from "../read/search/search-chunks.ts";
import { getThreadObject, listThreadObjects } from "../read/read-thread-objects.ts";
import { getGrant, listGrants, readGrants } from "../read/permissions/read-grants.ts";
import { historyBlobs, historyBytes } from "../read/history-bytes.ts";
import {
  findRun,
  getItem,
  hasLongCalls,
  listItems,
  listOutputs,
  readCalls,
} from "../read/read-ledger.ts";
import { listOverrides } from "../read/permissions/read-overrides.ts";
import { findFileCursor, getFile, listFiles, readFiles } from "../read/files/read-files.ts";
import { getUpload, readUploadParts } from "../read/files/read-uploads.ts";
import { getRequestKey } from "../read/read-request-keys.ts";
import { nextWebhookAt } from "../read/next-webhook.ts";
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
import { type OfRun, type PageQuery, cachePages } from "../read/page-cache.ts";
import type {
  CompactEvents,
  EventPage,
  ListedRun,
  RunRecord,
  RunWithMessages,
} from "../records/records.ts";
import { groupReads } from "./group-reads.ts";
import { shareReads } from "./share-reads.ts";
import type { Script } from "../sql/script.ts";
import { readEveryUsage } from "../read/retention/usage.ts";

/** The parts that a store reader needs. */
export interface ReadParts {
  /** Reads by key. If the read is retried, the script is created again. */
  readonly read: <T>(script: () => Script<T>) => Promise<T>;
  /** Reads with statements that must see the same snapshot. */
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly readSlow: <Name extends SlowReadName>(
    name: Name,
    query: SlowReadQuery<Name>,
  ) => Promise<SlowReadResult<Name>>;
  /**
   * Whether a run has long cells, so that reading it would block the caller's thread.
   * @default no run does
   */
  readonly isLongRun?: (runId: string) => boolean;
  /**
   * Whether `readSlow` decodes long rows on another thread, so that they do not block this one.
   * @default false
   */
  readonly hasReaderThread?: boolean;
  /**
   * Returns the last event number up to which a run can be read, or undefined if the database
   * itself has only published events.
   */
  readonly positionOf: (runId: string) => PublishedPosition | undefined;
  /**
   * Returns the last published number, or undefined if the database itself has only published
   * events.
   */
  readonly lastSeqOf: (runId: string) => number | undefined;
  readonly clock: Clock;
  readonly blobs: BlobStore;
}

/**
 * Reads by key that need only the database. A list has 20 rows by default and at most 1,000.
 */
const keyReads = {
  everyOrphan,
  everyQueued,
  /** Oldest first. */
  everyRunIn,
  everyRunOf,
  everySuspendedBefore,
  everySuspendedSince,
  /** When the next pending approval of any owner expires, in ms since the epoch. */
  everyPendingApproval,
  nextWebhookAt,
  listOutputs,
  findApprovalCursor,
  getApproval,
  /** Newest first. */
  listApprovals,
  readReview,
  getGrant,
  listOverrides,
  /** Newest link first. */
  listShares,
  getShare,
  everyShareOf,
  getAgent,
  /** By name, without corrupt ones' contents. */
  listAgents,
  /** By day and model, newest day first. */
  readTokenUsage,
  /** Connections belong to the installation. By name, without corrupt ones' settings. */
  everyConnection,
  getCredential,
  everyCredential,
  getConversation,
  getThreadObject,
  /** In the order of creation. */
  listThreadObjects,
  getCompletion,
  listCompletions,
  /** Most recently changed first. */
  listConversations,
  getSearchObject,
  /** The vector stores of a user, or the files of a vector store or a batch. */
  listSearchObjects,
  countStoreFiles,
  countBatchFiles,
  everyUnindexedOwner,
  listUnindexed,
  readChunks,
  readStoreFile,
  /** In no particular order. */
  readUploadParts,
  findFileCursor,
  /** In order. */
  listItems,
  /** The newest item with that id. */
  getItem,
};

type KeyReads = {
  readonly [Name in keyof typeof keyReads]: (
    ...query: Parameters<(typeof keyReads)[Name]>
  ) => Promise<ReturnType<(typeof keyReads)[Name]> extends Script<infer T> ? T : never>;
};

type SlowReads<Name extends SlowReadName> = {
  readonly [N in Name]: (
    ...query: undefined extends SlowReadQuery<N> ? [] : [SlowReadQuery<N>]
  ) => Promise<SlowReadResult<N>>;
};

type QueryOf<Read extends (query: never) => unknown> = Parameters<Read>[0];

/**
 * Reads of the store. Every read takes the owner: a row of another owner reads as `undefined` or is
 * absent from a list. Only reads named `every…` see all owners; they are for the service itself.
 */
export type StoreReader = ReturnType<typeof createStoreReader>;

/** Reads for retention: the stored data, its size and its age. */
export type RetentionReader = ReturnType<typeof createRetentionReader>;

/** Creates the reads of a store. */
export function createStoreReader({
  read,
  snapshot,
  readSlow,
  isLongRun,
  hasReaderThread = false,
  positionOf,
  lastSeqOf,
  clock,
  blobs,
}: ReadParts) {
  const published = (query: PageQuery) => ({
    ...query,
    position: positionOf(query.runId),
    now: clock.now(),
  });
  const eventPage = (query: PageQuery) => snapshot(() => readEventPage(published(query)));
  const exists = async (run: OfRun) => (await read(() => findRunKey(run))) !== undefined;
  const cachedPage = cachePages(eventPage, exists);
  // If the row's length cannot be read, the following read reports why.
  const isLong = (query: PageQuery) => read(() => isLongPage(query)).catch(() => false);
  const inGroup = groupReads();
  const sharePage = shareReads<EventPage>();
  /** Readers at the same event of a run share the page that the other thread posts. */
  async function longPage(query: PageQuery): Promise<EventPage | undefined> {
    if (!(await exists(query))) return undefined;
    const { owner, runId, after, limit, size } = query;
    const key = [owner, runId, after, limit, size, positionOf(runId)?.lastSeq].join(" ");
    const readPage = () => readSlow("readEventPage", published(query));
    return sharePage(key, () => inGroup(owner, runId, readPage));
  }

  const shareCompact = shareReads<CompactEvents>();

  /** SQLite can contain events of a run in progress that are not published yet. */
  function withPublishedSeq<Run extends ListedRun>(run: Run): Run {
    if (isClosing(run.status)) return run;
    const lastSeq = lastSeqOf(run.id);
    return lastSeq === undefined ? run : { ...run, lastSeq };
  }
  const publishedOrNone = (run: RunRecord | undefined) =>
    run === undefined ? undefined : withPublishedSeq(run);

  return {
    ...(eachOf(Object.keys(keyReads), (name, query) =>
      read(() => keyReads[name as keyof KeyReads](query as never) as Script<unknown>),
    ) as KeyReads),
    ...slowReadsOf(
      [
        "listCalls",
        "readManifest",
        "readVariables",
        "readValue",
        "searchChunks",
        "readVectors",
        "searchConversations",
        "listUnindexedRuns",
      ],
      readSlow,
    ),
    ...createRetentionReader(readSlow),

    getRun: async (query: QueryOf<typeof getRun>) =>
      publishedOrNone(
        isLongRun?.(query.id) === true
          ? await readSlow("getRun", query)
          : await read(() => getRun(query)),
      ),
    /** In the order in which they were proposed, without results in quarantine. */
    readCalls: async (query: OfRun) => {
      // If the length cannot be read, the read of the calls reports why.
      const areLong = hasReaderThread && (await read(() => hasLongCalls(query)).catch(() => false));
      return areLong ? readSlow("readCalls", query) : read(() => readCalls(query));
    },
    /** A run's complete input, with long lists and texts. */
    readInput: async (query: OfRun) => {
      const list = await read(() => readInput(query));
      return list && joinList(list, blobs);
    },
    /** The same input in parts, so that a reader of a few items needs little memory. */
    streamInput: async (query: OfRun) => {
      const list = await read(() => readInput(query));
      return list && partsOfList(list, blobs);
    },
    /** A list of a run's request, with the parts that are stored as blobs. */
    readList: <T>(list: StoredList<T>) => joinList(list, blobs),
    /**
     * The bytes of an image or a file that a run or a file refers to. The caller must check that its
     * user is allowed to read that run or file.
     */
    readBlob: (sha256: string) => blobs.get(sha256),
    /** The same bytes in pieces. */
    streamBlob: (sha256: string, range?: ByteRange) => blobs.stream(sha256, range),
    hasBlob: (sha256: string) => blobs.has(sha256),
    /** Oldest first, without runs that only contain a user's changes of variables. */
    listRuns: async (query: SlowReadQuery<"listRuns">) => {
      const { data, hasMore } = await readSlow("listRuns", query);
      return { data: data.map((run) => withPublishedSeq(run)), hasMore };
    },
    searchRuns: async (query: SlowReadQuery<"searchRuns">) => {
      const { data, hasMore } = await readSlow("searchRuns", query);
      return { data: data.map((run) => withPublishedSeq(run)), hasMore };
    },
    /** Runs that continue this one, oldest first. */
    listChildren: async (query: OfRun) =>
      (await read(() => listChildren(query))).map((run) => withPublishedSeq(run)),
    /**
     * The bytes of a run and all its ancestors, which are not read. Images and files count only if
     * the result is at most `limit`: reading a history does not read them.
     */
    historyBytes: async ({ limit, ...query }: OfRun & { readonly limit: number }) => {
      let bytes = await read(() => historyBytes(query));
      if (bytes <= limit) return bytes;
      const found = await read(() => historyBlobs(query));
      let known = bytes - found.reduce((sum, each) => sum + each.bytes, 0);
      for (const { sha256, bytes: size } of found) {
        if (bytes <= limit || known > limit) break;
        if (await isListBlob(sha256, blobs)) known += size;
        else bytes -= size;
      }
      return bytes;
    },
    /** The run and all its ancestors, oldest first, with their messages. */
    ancestors: async (query: OfRun) => {
      const line = await readSlow("ancestors", query);
      if (line === undefined) return undefined;
      const whole: RunWithMessages[] = [];
      const shared = new Map<string, readonly unknown[]>();
      for (const { run, messages } of line)
        whole.push({ run, messages: await joinList(messages, blobs, shared) });
      return whole;
    },

    /**
     * Events with `seq > after`, in order, at most `limit` (default 256). Fewer than `limit` means
     * that there are no more yet. Until an hour after the run's end, the numbers have no gap and
     * the deltas are unchanged. Later each item has one delta, under the number of its first delta.
     */
    readEvents: async ({
      after = 0,
      limit = 256,
      ...run
    }: OfRun & { readonly after?: number; readonly limit?: number }) =>
      (await eventPage({ ...run, after, limit }))?.events,
    /**
     * The same events as a page that says whether the run has ended. A page has at most `size`
     * UTF-16 units, or one event.
     */
    readEventPage: async (query: PageQuery) =>
      hasReaderThread && (await isLong(query)) ? longPage(query) : cachedPage(query),
    /**
     * All events without deltas: an `item.end` has the text. An item without an end is its
     * `item.start` and one `item.delta` with its text so far, under the number of its last delta.
     */
    readEventsCompact: async ({ owner, runId }: OfRun) => {
      const run = await read(() => findRunKey({ owner, runId }));
      if (run === undefined) return undefined;
      const readAll = () =>
        readSlow("readEventsCompact", { owner, runId, position: positionOf(runId) });
      // The events of an ended run do not change.
      return run.ended_at === null ? readAll() : shareCompact(`${run.n} ${runId}`, readAll);
    },
    /** Reads the state from which a chain resumes, as one snapshot. */
    readChain: async ({ owner, runId }: OfRun) => {
      const chain = await readSlow("readChain", { owner, runId, position: positionOf(runId) });
      return chain && { ...chain, messages: await joinList(chain.messages, blobs) };
    },
    readMessages: async (query: OfRun) => {
      const list = await readSlow("readMessages", query);
      return list && joinList(list, blobs);
    },

    /** All grants that apply in a session now: grants for this session and for every session. */
    readGrants: (query: Omit<QueryOf<typeof readGrants>, "at">) =>
      read(() => readGrants({ ...query, at: clock.now() })),
    /**
     * The grants in force, neither revoked nor expired. With `sessionId`, only grants for that
     * session and for every session.
     */
    listGrants: (query: Omit<QueryOf<typeof listGrants>, "at">) =>
      read(() => listGrants({ ...query, at: clock.now() })),
    /** The request that has an idempotency key. */
    getRequestKey: (query: Omit<QueryOf<typeof getRequestKey>, "at">) =>
      read(() => getRequestKey({ ...query, at: clock.now() })),
    /** A file, unless it has expired. */
    getFile: (query: Omit<QueryOf<typeof getFile>, "at">) =>
      read(() => getFile({ ...query, at: clock.now() })),
    /** Those of the given files that exist, by id. */
    readFiles: (query: Omit<QueryOf<typeof readFiles>, "at">) =>
      read(() => readFiles({ ...query, at: clock.now() })),
    /** A user's files, by default the newest first. */
    listFiles: (query: Omit<QueryOf<typeof listFiles>, "at">) =>
      read(() => listFiles({ ...query, at: clock.now() })),
    getUpload: (query: Omit<QueryOf<typeof getUpload>, "at">) =>
      read(() => getUpload({ ...query, at: clock.now() })),
    /** The newest run with this item id or call id. */
    findRun: async (query: QueryOf<typeof findRun>) =>
      publishedOrNone(await read(() => findRun(query))),
  };
}

/** Creates the reads that retention needs. They can take long. */
export function createRetentionReader(readSlow: ReadParts["readSlow"]) {
  return {
    ...slowReadsOf(["everyOwner", "everyUnreachable", "listUntouched", "getLineage"], readSlow),
    /** The storage of every owner, by name. Reads every row: do not call it every minute. */
    everyUsage: () => readEveryUsage((cursor) => readSlow("usageSlice", cursor)),
  };
}

function slowReadsOf<Name extends SlowReadName>(
  names: readonly Name[],
  readSlow: ReadParts["readSlow"],
): SlowReads<Name> {
  return eachOf(names, (name, query) => readSlow(name as Name, query as never)) as SlowReads<Name>;
}

function eachOf(
  names: readonly string[],
  run: (name: string, query: unknown) => Promise<unknown>,
): unknown {
  return Object.fromEntries(names.map((name) => [name, (query: unknown) => run(name, query)]));
}
