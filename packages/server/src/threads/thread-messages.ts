import type { RunRecord, Store, ThreadObjectRecord } from "@capstan/store";
import {
  changedView,
  createdView,
  inputViews,
  messageData,
  type MessageView,
} from "./message-view.ts";
import { readRunObjects } from "./read-run.ts";
import { runWire } from "./run-wire.ts";
import type { Thread } from "./thread.ts";

/** The parts of a thread, from which its messages are read. */
export interface ThreadParts {
  /** The runs of the thread, the oldest first. */
  readonly runs: readonly RunRecord[];
  /** The messages of clients that each run has read first. A retry of a run has read none first. */
  readonly readBy: ReadonlyMap<string, readonly string[]>;
  /** Messages that clients added, and changes of other messages, by their id. */
  readonly objects: ReadonlyMap<string, ThreadObjectRecord>;
  /** The messages that no run has read yet, the oldest first. */
  readonly pending: readonly ThreadObjectRecord[];
}

/** Reads the runs and the stored objects of a thread. */
export async function readThreadParts(
  store: Store,
  { conversation }: Thread,
): Promise<ThreadParts> {
  const { owner, id: conversationId, headRunId } = conversation;
  const stored = await store.listThreadObjects({ owner, conversationId });
  const objects = new Map(
    stored.flatMap((record) => (record.kind === "message" ? [[record.id, record] as const] : [])),
  );
  const runs: RunRecord[] = [];
  for (let id = headRunId; id !== null;) {
    const run: RunRecord | undefined = await store.getRun({ owner, id });
    // A fork continues a run of another conversation, whose messages it has copied.
    if (run === undefined || run.conversationId !== conversationId) break;
    runs.unshift(run);
    id = run.parentId;
  }
  const read = new Set<string>();
  const readBy = new Map<string, readonly string[]>();
  for (const run of runs) {
    const fresh = (runWire(run)?.messages ?? []).filter((id) => !read.has(id));
    readBy.set(run.id, fresh);
    for (const id of fresh) read.add(id);
  }
  const pending = [...objects.values()].filter(
    (record) => messageData(record).type === "created" && !read.has(record.id),
  );
  return { runs, readBy, objects, pending };
}

/**
 * Yields the messages of a thread: for each run what it read, then what it wrote; then the messages
 * that no run has read.
 *
 * @param order `desc` begins with the newest message, and reads older runs only if they are needed
 */
export async function* messagesOf(
  store: Store,
  { runs, pending, ...parts }: ThreadParts,
  order: "asc" | "desc",
): AsyncGenerator<MessageView> {
  const waiting = pending.flatMap((record) => createdView(record) ?? []);
  if (order === "asc") {
    for (const run of runs) yield* await messagesOfRun(store, run, parts);
    yield* waiting;
    return;
  }
  yield* waiting.toReversed();
  for (const run of runs.toReversed()) yield* (await messagesOfRun(store, run, parts)).toReversed();
}

/** Reads the messages that a run read and wrote, without deleted ones. */
export async function messagesOfRun(
  store: Store,
  run: RunRecord,
  { objects, readBy }: Pick<ThreadParts, "objects" | "readBy">,
): Promise<readonly MessageView[]> {
  const wire = runWire(run);
  const { owner, id: runId } = run;
  const read =
    wire === undefined
      ? inputViews(run, (await store.readInput({ owner, runId })) ?? [])
      : (readBy.get(run.id) ?? []).flatMap((id) => {
          const record = objects.get(id);
          return (record && createdView(record)) ?? [];
        });
  const written = run.kind === "edit" ? [] : (await readRunObjects(store, run)).messages();
  return [...read, ...written].flatMap(
    (message) => changedView(message, objects.get(message.id)) ?? [],
  );
}
