import type { StoredList } from "../blobs/split-inputs.ts";
import type { CallRecord, Grant, JsonValue, Message } from "@capstan/core";
import type { ClientOutput, VariableValue } from "@capstan/core/host";
import type { RunEvent, RunStatus } from "@capstan/contract";
import type {
  LineageStart,
  ListedCalls,
  Unreachable,
  Untouched,
  SizedLineage,
  ChainReading,
  RunVariables,
  Usage,
} from "./read-results.ts";

import type {
  ApprovalCursor,
  ApprovalRecord,
  ApprovalStatus,
  CallEntry,
  CompactEvents,
  EventPage,
  ConversationRecord,
  DamagedApproval,
  DamagedRecord,
  GrantRecord,
  ItemRecord,
  ListedRun,
  Manifest,
  OverrideRecord,
  Page,
  RunRecord,
  RunRef,
  RunWithMessages,
} from "./records.ts";

interface Owned {
  readonly owner: string;
}
interface OwnedId extends Owned {
  readonly id: string;
}
interface OfRun extends Owned {
  readonly runId: string;
}
interface Paged {
  /** @default 20, at most 1,000 */
  readonly limit?: number;
  /** The id that the page before ended with. */
  readonly after?: string;
}

/** What is kept, how much it takes, and what of it is old. */
export interface RetentionReader {
  /** All who have something, by name. */
  everyOwner(): Promise<readonly string[]>;
  /** What every owner has, by name. Looks at every row: not for every minute. */
  everyUsage(): Promise<readonly Usage[]>;
  /** Conversations, and sessions outside of any, that were last changed before a time, oldest first; at most `limit` (default 100). */
  listUntouched(
    query: Owned & {
      readonly before: number;
      readonly after?: Untouched;
      readonly limit?: number;
    },
  ): Promise<readonly Untouched[]>;
  /** What hangs together with a conversation or a session. */
  getLineage(query: Owned & { readonly start: LineageStart }): Promise<SizedLineage | undefined>;
  /**
   * Of the sessions of every owner's runs, in the order in which the runs were made: variables that
   * nothing leads to any more. Read on after `last` while there is `more`.
   */
  everyUnreachable(query: { readonly after: number }): Promise<{
    readonly found: readonly Unreachable[];
    readonly last: number;
    readonly more: boolean;
  }>;
}

/**
 * Reading the store. Every read takes the owner, and another's row reads as `undefined` (or is
 * absent from a list); only those named `every…` are for the service itself and see all owners.
 */
export interface StoreReader extends RetentionReader {
  getRun(query: OwnedId): Promise<RunRecord | undefined>;
  /** All of a run's input, with long lists and texts. */
  readInput(query: OfRun): Promise<readonly JsonValue[] | undefined>;
  /** A list of a run's request, of which long parts are stored apart. */
  readList<T>(list: StoredList<T>): Promise<readonly T[]>;
  /** The bytes of an image or a file that a run refers to. The caller checks that its user may read that run. */
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
  /** The same in pieces. */
  streamBlob(sha256: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Oldest first; without those that only hold a person's changes to variables. */
  listRuns(query: Owned & Paged & { readonly conversationId: string }): Promise<Page<ListedRun>>;
  /** Newest first; without those that only hold a person's changes to variables. */
  searchRuns(
    query: Owned &
      Paged & {
        readonly statuses?: readonly RunStatus[];
        readonly conversationId?: string;
        /** Only with a call of which nobody has said yet whether it happened. */
        readonly outcome?: "unknown";
      },
  ): Promise<Page<ListedRun>>;
  /** Runs that continue this one, oldest first. */
  listChildren(query: OfRun): Promise<readonly RunRecord[]>;
  /** The run and all that it descends from, oldest first, with their messages. */
  ancestors(query: OfRun): Promise<readonly RunWithMessages[] | undefined>;
  /** Every owner's runs in progress that no known node has, oldest first: their process is gone. */
  everyOrphan(): Promise<readonly RunRef[]>;
  /** Every owner's runs in progress that a node claimed last, oldest first. */
  everyRunOf(query: { readonly node: string }): Promise<readonly RunRef[]>;
  /**
   * Queued runs, at most `each` of one owner and 1,000 in all: every owner's oldest, then every
   * owner's second, and so on.
   */
  everyQueued(query: { readonly each: number }): Promise<readonly RunRef[]>;
  /** Every owner's runs in a status, oldest first. */
  everyRunIn(query: { readonly status: RunStatus }): Promise<readonly RunRef[]>;

  /**
   * Events with `seq > after`, in order; at most `limit` (default 256). Fewer than `limit` means that
   * there are no more yet. Until an hour after the run's end there is no gap between their numbers,
   * and deltas are as they were sent; later each item's deltas are one, under the number of the first.
   */
  readEvents(
    query: OfRun & { readonly after?: number; readonly limit?: number },
  ): Promise<readonly RunEvent[] | undefined>;
  /**
   * The same, with whether the run has ended. Of more than `size` UTF-16 units of text it gives no
   * event but the first: what a page keeps in memory is that, however long the run's texts are.
   */
  readEventPage(
    query: OfRun & { readonly after: number; readonly limit: number; readonly size?: number },
  ): Promise<EventPage | undefined>;
  /**
   * All events with deltas left out: an `item.end` carries the text; an item without an end is its
   * `item.start` and one `item.delta` with what there is, under the number of its last delta.
   */
  readEventsCompact(query: OfRun): Promise<CompactEvents | undefined>;
  /** Reads the state from which a chain resumes, as one snapshot. */
  readChain(query: OfRun): Promise<ChainReading | undefined>;
  readMessages(query: OfRun): Promise<readonly Message[] | undefined>;
  /** In the order in which they were proposed, without what is in quarantine. */
  readCalls(query: OfRun): Promise<readonly CallEntry[] | undefined>;
  /**
   * The last calls of a group's tools in the owner's last 1,000 runs, newest first, without what is
   * in quarantine; and the runs whose calls are damaged, which are left out.
   */
  listCalls(
    query: Owned & { readonly group: string; readonly limit: number },
  ): Promise<ListedCalls>;
  /** What clients submitted for the run's calls and it has not taken yet. */
  listOutputs(query: OfRun): Promise<readonly ClientOutput[]>;

  /** The variables of a run as they are now. */
  readManifest(query: OfRun): Promise<Manifest | undefined>;
  /** The same with the values; large ones, and those that were evicted, are read one by one. */
  readVariables(query: OfRun): Promise<RunVariables | undefined>;
  readValue(query: Owned & { readonly digest: string }): Promise<VariableValue | undefined>;

  getApproval(query: OwnedId): Promise<ApprovalRecord | undefined>;
  /** Newest first. */
  listApprovals(
    query: Owned &
      Pick<Paged, "limit"> & {
        /** The last of the page before. */
        readonly after?: ApprovalCursor;
        readonly status?: ApprovalStatus;
        readonly conversationId?: string;
        readonly runId?: string;
      },
  ): Promise<Page<ApprovalRecord | DamagedApproval>>;
  /**
   * By its approval: the call whose result waits, with the result. For the reviewer, and to carry
   * the run on; nothing else reads it. Undefined once the call is settled.
   */
  readReview(query: OwnedId): Promise<CallRecord | undefined>;
  /** Every owner's runs that were suspended before a time, in ms since the epoch; at most 100. */
  everySuspendedBefore(query: { readonly before: number }): Promise<readonly RunRef[]>;
  /** When the run was suspended that has been suspended longest, in ms since the epoch. */
  everySuspendedSince(): Promise<number | undefined>;
  /** When the next pending approval of any owner expires, in ms since the epoch. */
  everyNextExpiry(): Promise<number | undefined>;

  getGrant(query: OwnedId): Promise<GrantRecord | undefined>;
  /** All that hold in a session now, given there or for every session. */
  readGrants(query: Owned & { readonly sessionId: string }): Promise<readonly Grant[]>;
  /** Those in force: neither revoked nor expired. With `sessionId`, those of that session and those of every session. */
  listGrants(
    query: Owned & Paged & { readonly sessionId?: string; readonly toolId?: string },
  ): Promise<Page<GrantRecord | DamagedRecord>>;

  /** A user's own rules, in the order in which they were first made. */
  listOverrides(query: Owned): Promise<readonly OverrideRecord[]>;

  getConversation(query: OwnedId): Promise<ConversationRecord | undefined>;
  /** Last changed first. */
  listConversations(query: Owned & Paged): Promise<Page<ConversationRecord | DamagedRecord>>;

  /** A run's items in order. */
  listItems(
    query: OfRun & { readonly direction?: "input" | "output" },
  ): Promise<readonly ItemRecord[] | undefined>;
  /** The newest item with that id. */
  getItem(query: OwnedId): Promise<ItemRecord | undefined>;
  /** The newest run that knows an item id or a call id. */
  findRun(
    query: Owned & ({ readonly itemId: string } | { readonly callId: string }),
  ): Promise<RunRecord | undefined>;
}
