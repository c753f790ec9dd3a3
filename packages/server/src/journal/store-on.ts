import { type Clock, CapstanError } from "@capstan/core";
import { isClosing } from "../run/run-status.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { LiveRuns } from "./live-runs.ts";
import { Publisher } from "./publish.ts";
import type { LongReadName, LongReadQuery, LongReadResult } from "./reading/long-reads.ts";
import { getApproval, everyNextExpiry, listApprovals } from "./reading/read-approvals.ts";
import { getConversation, listConversations } from "./reading/read-conversations.ts";
import { readEvents } from "./reading/read-events.ts";
import { getGrant, listGrants } from "./reading/read-grants.ts";
import { findRun, getItem, listItems, readCalls } from "./reading/read-ledger.ts";
import { listOverrides } from "./reading/read-overrides.ts";
import { readReview } from "./reading/read-reviews.ts";
import { everyRunIn, getRun, listChildren } from "./reading/read-runs.ts";
import type { RunRecord } from "./records.ts";
import type { Sql } from "./sql.ts";
import type { Store } from "./store.ts";
import { receivedError, storeError } from "./store-error.ts";
import type { OutcomesOf, StoreWrite, WriteOutcome } from "./store-write.ts";
import type { Writer } from "./writer.ts";
import type { AppliedOutcome, WriteRequest, WriteResult } from "./writing/apply-batch.ts";

/** What a store is made of. */
export interface StoreParts {
  /** Reads by key, on the caller's thread. */
  readonly sql: Sql;
  readonly writer: Writer;
  readonly readLong: <Name extends LongReadName>(
    name: Name,
    query: LongReadQuery<Name>,
  ) => Promise<LongReadResult<Name>>;
  readonly clock: Clock;
  readonly announce: (url: string) => Promise<void>;
  /** Lets go of everything but the writer, after it has stopped. */
  readonly release: () => Promise<void>;
}

type Settled =
  | { readonly outcomes: readonly WriteOutcome[] }
  | Extract<WriteResult, { error: unknown }>;

/** The store's calling side: the queue before the writer, what is live, who listens, and reading. */
export function storeOn({ sql, writer, readLong, clock, announce, release }: StoreParts): Store {
  const live = new LiveRuns(writer.leftovers);
  const publisher = new Publisher();
  const queue = createCommitQueue<WriteRequest, Settled>({
    commit: (batch) => writer.commit(batch) as Promise<readonly Settled[]>,
    settle,
  });
  let closing: Promise<void> | undefined;

  const storedSeq = (runId: string) => (): number =>
    sql.get<{ seq: number }>(
      "SELECT COALESCE(MAX(seq), 0) AS seq FROM run_events WHERE run_n = (SELECT n FROM runs WHERE id = ?)",
      runId,
    )?.seq ?? 0;
  const positionOf = (runId: string) => live.position(runId, storedSeq(runId));

  /** Completes what the writer said, and tells who listens, before the caller hears of it. */
  function settle(request: WriteRequest, result: Settled | undefined): Settled | undefined {
    const applied =
      result !== undefined && "outcomes" in result
        ? (result.outcomes as readonly AppliedOutcome[])
        : [];
    const outcomes = request.writes.map((write, index) => complete(write, applied[index]));
    for (const write of request.writes) if (write.type === "journal") live.end(write.runId);
    return result === undefined || "error" in result ? result : { outcomes };
  }

  function complete(write: StoreWrite, applied: AppliedOutcome | undefined): WriteOutcome {
    if (applied === undefined) return { status: "skipped" };
    if (write.type === "journal" && applied.status === "committed") {
      const written = write.writes.flatMap((entry) =>
        entry.type === "event" ? [entry.event] : [],
      );
      const events = live.committed(write.runId, written, applied);
      if (applied.runStatus !== "in_progress") live.folded(write.runId);
      publisher.publish(write.runId, { events, closed: isClosing(applied.runStatus) });
      return { status: "committed", events, runStatus: applied.runStatus };
    }
    if (write.type === "set-status" && applied.status === "changed") {
      live.folded(write.runId);
      publisher.publish(write.runId, { events: [], closed: false });
    }
    if (applied.status === "deleted") {
      for (const runId of applied.runIds) publisher.publish(runId, { events: [], closed: true });
    }
    return applied as WriteOutcome;
  }

  async function write<const W extends readonly StoreWrite[]>(writes: W): Promise<OutcomesOf<W>> {
    if (closing !== undefined) {
      throw new CapstanError({
        code: "store_closed",
        message: "The store is closed: nothing can be written.",
      });
    }
    for (const each of writes)
      if (each.type === "journal") live.begin(each.runId, storedSeq(each.runId));
    const settled = await queue.submit({ at: clock.now(), writes });
    if ("error" in settled) throw receivedError(settled.error);
    return settled.outcomes as unknown as OutcomesOf<W>;
  }

  /** Of a run under way the database may know more than was published. */
  function published(run: RunRecord): RunRecord {
    return isClosing(run.status) ? run : { ...run, lastSeq: positionOf(run.id).lastSeq };
  }

  async function close(): Promise<void> {
    await queue.drained();
    await writer.stop();
    await release();
  }

  /** A read by key: quick, and done here. */
  async function read<T>(run: () => T): Promise<T> {
    try {
      return run();
    } catch (error) {
      throw storeError("Reading from the store", error);
    }
  }

  return {
    write,
    subscribe: (runId, listener) => publisher.subscribe(runId, listener),
    announce,
    close: () => (closing ??= close()),

    getRun: (query) =>
      read(() => {
        const run = getRun(sql, query);
        return run === undefined ? undefined : published(run);
      }),
    listRuns: async (query) => (await readLong("listRuns", query)).map(published),
    listChildren: (query) => read(() => listChildren(sql, query).map(published)),
    ancestors: (query) => readLong("ancestors", query),
    everyRunIn: (query) => read(() => everyRunIn(sql, query).map(published)),

    readEvents: ({ owner, runId, after = 0, limit = 256 }) =>
      read(() => readEvents(sql, { owner, runId, after, limit, position: positionOf(runId) })),
    readEventsCompact: async ({ owner, runId }) =>
      readLong("readEventsCompact", { owner, runId, position: positionOf(runId) }),
    readMessages: (query) => readLong("readMessages", query),
    readCalls: (query) => read(() => readCalls(sql, query)),

    readManifest: (query) => readLong("readManifest", query),
    readValue: (query) => readLong("readValue", query),

    getApproval: (query) => read(() => getApproval(sql, query)),
    listApprovals: (query) => read(() => listApprovals(sql, query)),
    readReview: (query) => read(() => readReview(sql, query)),
    everyNextExpiry: () => read(() => everyNextExpiry(sql)),
    getGrant: (query) => read(() => getGrant(sql, query)),
    listGrants: (query) => read(() => listGrants(sql, { ...query, at: clock.now() })),
    listOverrides: (query) => read(() => listOverrides(sql, query)),
    getConversation: (query) => read(() => getConversation(sql, query)),
    listConversations: (query) => read(() => listConversations(sql, query)),
    listItems: (query) => read(() => listItems(sql, query)),
    getItem: (query) => read(() => getItem(sql, query)),
    findRun: (query) =>
      read(() => {
        const run = findRun(sql, query);
        return run === undefined ? undefined : published(run);
      }),
  };
}
