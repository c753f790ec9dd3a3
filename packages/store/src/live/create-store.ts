import type { Clock } from "@capstan/core";
import { CapstanError } from "@capstan/core/base";
import { isClosing } from "../records/run-status.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { encodeLongParts } from "../encode/long-parts.ts";
import { CommitEncoder, type WriteRequest } from "../encode/run-commit.ts";
import type { UnnumberedEvent } from "../records/records.ts";
import { findClaim, type LiveRuns, type Publisher } from "./live-runs.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import type { UserChange } from "../records/user-change.ts";
import type { Nodes } from "../records/nodes.ts";
import { type ReadParts, createStoreReader } from "./create-store-reader.ts";
import type { Store } from "./store.ts";
import type { ReceivedBlob } from "../blobs/received-blob.ts";
import { BlobHolds } from "../blobs/blob-holds.ts";
import { referencedBlobs } from "../read/read-blobs.ts";
import { hasLongInputs, prepareInputs } from "./prepare-inputs.ts";
import { receivedError, storeError } from "../records/store-error.ts";
import type { Journal, StoreWrite } from "../records/store-writes.ts";
import type { OutcomeOf, OutcomesOf, WriteOutcome } from "../records/write-outcomes.ts";
import type { Writer } from "./thread.ts";
import type { AppliedOutcome, WriteResult } from "../records/write-results.ts";

/** The parts of a store. */
export interface StoreParts extends Pick<
  ReadParts,
  "read" | "snapshot" | "readSlow" | "isLongRun" | "hasReaderThread" | "blobs"
> {
  readonly writer: Writer;
  readonly publisher: Publisher;
  /**
   * Runs in progress and the database's last event number for each, for databases that cannot be
   * queried for them.
   */
  readonly live?: { readonly runs: LiveRuns; readonly storedSeq: (runId: string) => number };
  readonly nodes?: Nodes;
  /** Receives the changes of other nodes. @default there are no other nodes */
  readonly changes?: ChangeNotifier;
  readonly clock: Clock;
  readonly announce: (url: string) => Promise<void>;
  /** Releases everything except the writer, after the writer has stopped. */
  readonly release: () => Promise<void>;
}

type Settled =
  | { readonly outcomes: readonly WriteOutcome[]; readonly changed?: readonly UserChange[] }
  | Extract<WriteResult, { error: unknown }>;

/**
 * Creates a store from its parts: a commit queue in front of the writer, live runs, subscribers and
 * reads.
 */
export function createStore(parts: StoreParts): Store {
  const { writer, publisher, live, clock, changes = new ChangeNotifier() } = parts;
  const encoder = new CommitEncoder();
  const queue = createCommitQueue<WriteRequest, Settled>({
    commit: async (batch) => {
      const long = await encodeLongParts(batch);
      const encoded = batch.map((request) => encoder.encode(request, long));
      return (await writer.commit(encoded)) as readonly Settled[];
    },
    settle,
  });
  const holds = new BlobHolds(parts.blobs);
  const closed = new AbortController();
  let collecting: Promise<void> | undefined;
  let collectAgain = false;
  let closing: Promise<void> | undefined;

  /**
   * Completes the writer's results and notifies subscribers before the caller receives the results.
   */
  function settle(request: WriteRequest, result: Settled | undefined): Settled | undefined {
    const applied =
      result !== undefined && "outcomes" in result
        ? (result.outcomes as readonly AppliedOutcome[])
        : [];
    const outcomes = request.writes.map((write, index) => complete(write, applied[index]));
    for (const write of request.writes) if (write.type === "journal") live?.runs.end(write.runId);
    if (result === undefined || "error" in result) return result;
    if (result.changed !== undefined) changes.publish(result.changed);
    return { outcomes };
  }

  function complete(write: StoreWrite, applied: AppliedOutcome | undefined): WriteOutcome {
    if (write.type === "journal" && applied?.status !== "committed") encoder.forget(write.runId);
    if (applied === undefined) return { status: "skipped" };
    if (write.type === "journal" && applied.status === "committed") {
      const { seqBefore, firstTail, runStatus } = applied;
      const events = eventsOf(write);
      live?.runs.committed(write.runId, { events, seqBefore, firstTail });
      if (runStatus !== "in_progress") live?.runs.folded(write.runId);
      publisher.publish(write.runId, { events, seqBefore, closed: isClosing(runStatus) });
      return { status: "committed", lastSeq: seqBefore + events.length, runStatus };
    }
    const claimed = findClaim(write, applied);
    if (claimed !== undefined) live?.runs.claimed(claimed);
    if (write.type === "set-status" && applied.status === "changed") {
      live?.runs.folded(write.runId);
      publisher.publish(write.runId, { events: [], closed: false });
    }
    if (
      applied.status === "deleted" ||
      applied.status === "ended_upload" ||
      (applied.status === "collected" && !applied.more)
    )
      collectSoon();
    if (applied.status === "deleted") {
      for (const runId of applied.runIds) publisher.publish(runId, { events: [], closed: true });
    }
    return applied as WriteOutcome;
  }

  function write<const W extends readonly StoreWrite[]>(writes: W): Promise<OutcomesOf<W>> {
    return hasLongInputs(writes) ? storeInputs(writes) : submit(writes);
  }

  async function storeInputs<W extends readonly StoreWrite[]>(writes: W): Promise<OutcomesOf<W>> {
    requireOpen();
    const prepared = await prepareInputs(writes);
    const release = await holds.hold(prepared.blobs).catch((error: unknown) => {
      throw storeError("Storing the inputs of a run", error);
    });
    try {
      return await submit(prepared.writes as unknown as W);
    } finally {
      release();
    }
  }

  async function receiveBlob(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    requireOpen();
    let failure: { readonly error: unknown } | undefined;
    async function* watched() {
      try {
        yield* pieces;
      } catch (error) {
        failure = { error };
        throw error;
      }
    }
    try {
      return await parts.blobs.receive(watched());
    } catch (error) {
      throw failure === undefined ? storeError("Storing a file", error) : failure.error;
    }
  }

  async function writeWithBlob<const W extends StoreWrite>(
    { sha256, size, keep }: Pick<ReceivedBlob, "sha256" | "size" | "keep">,
    given: W,
  ): Promise<OutcomeOf<W>> {
    requireOpen();
    const release = await holds.hold([{ sha256, size, keep }]).catch((error: unknown) => {
      throw storeError("Storing a file", error);
    });
    try {
      const [outcome] = await submit([given]);
      return outcome;
    } finally {
      release();
    }
  }

  function requireOpen(): void {
    if (closing === undefined) return;
    throw new CapstanError({
      code: "store_closed",
      message: "The store is closed: nothing can be written.",
    });
  }

  async function submit<const W extends readonly StoreWrite[]>(writes: W): Promise<OutcomesOf<W>> {
    requireOpen();
    if (live !== undefined) {
      const createsRun = (id: string) =>
        writes.some((write) => write.type === "create-run" && write.run.id === id);
      for (const each of writes) {
        if (each.type !== "journal") continue;
        const { runId } = each;
        live.runs.begin(runId, () => (createsRun(runId) ? 0 : live.storedSeq(runId)));
      }
    }
    const settled = await queue.submit({ at: clock.now(), writes });
    if ("error" in settled) throw receivedError(settled.error);
    return settled.outcomes as unknown as OutcomesOf<W>;
  }

  function collectBlobs(signal: AbortSignal): Promise<number> {
    return holds.collect((hashes) => parts.read(() => referencedBlobs(hashes)), signal);
  }

  /**
   * Deletes unused blobs after a deletion. If it fails or is interrupted, the next collection or
   * retention deletes them.
   */
  function collectSoon(): void {
    collectAgain = true;
    collecting ??= (async () => {
      while (collectAgain && !closed.signal.aborted) {
        collectAgain = false;
        await collectBlobs(closed.signal);
      }
    })()
      .catch(() => {})
      .finally(() => (collecting = undefined));
  }

  async function close(): Promise<void> {
    closed.abort();
    await queue.drained();
    await collecting;
    await writer.stop();
    await parts.release();
    await parts.blobs.close();
  }

  return {
    ...createStoreReader({
      ...parts,
      lastSeqOf: (runId) => live?.runs.lastSeq(runId),
      positionOf: (runId) => live?.runs.position(runId, () => live.storedSeq(runId)),
    }),
    write,
    receiveBlob,
    writeWithBlob,
    collectBlobs: (signal = closed.signal) => collectBlobs(signal),
    beforeNext: (given) => queue.beforeNext(given),
    subscribe: (runId, listener) => publisher.subscribe(runId, listener),
    onUserChanges: (listener) => changes.subscribe(listener),
    announce: parts.announce,
    ...(parts.nodes && { nodes: parts.nodes }),
    ...(writer.died && { died: writer.died }),
    close: () => (closing ??= close()),
  };
}

function eventsOf({ writes }: Journal): readonly UnnumberedEvent[] {
  const events: UnnumberedEvent[] = [];
  for (const write of writes) if (write.type === "event") events.push(write.event);
  return events;
}
