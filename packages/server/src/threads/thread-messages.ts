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
  readonly runs: ThreadRuns;
  /** Messages that clients added, and changes of other messages, by their id. */
  readonly objects: ReadonlyMap<string, ThreadObjectRecord>;
  /** The messages that no run has read yet, the oldest first. */
  readonly pending: readonly ThreadObjectRecord[];
}

/** Reads the stored objects of a thread, and its newest runs. */
export async function readThreadParts(store: Store, thread: Thread): Promise<ThreadParts> {
  const { owner, id: conversationId } = thread.conversation;
  const stored = await store.listThreadObjects({ owner, conversationId });
  const objects = new Map(
    stored.flatMap((record) => (record.kind === "message" ? [[record.id, record] as const] : [])),
  );
  const runs = threadRuns(store, thread);
  const added = [...objects.values()].filter((record) => messageData(record).type === "created");
  const unread = await unreadMessages(
    runs,
    added.map(({ id }) => id),
  );
  const pending = unread.flatMap((id) => objects.get(id) ?? []);
  return { runs, objects, pending };
}

/**
 * Yields the messages of a thread: for each run its input, then its output; then the messages
 * that no run has read.
 *
 * @param order `desc` begins with the newest message, and reads older runs only if they are needed
 */
export async function* messagesOf(
  store: Store,
  { runs, objects, pending }: ThreadParts,
  order: "asc" | "desc",
): AsyncGenerator<MessageView> {
  const waiting = pending.flatMap((record) => createdView(record) ?? []);
  if (order === "asc") {
    let older: RunRecord | undefined;
    for await (const run of runs.list("asc")) {
      yield* await messagesOfRun(store, run, { objects, older });
      older = run;
    }
    yield* waiting;
    return;
  }
  yield* waiting.toReversed();
  for (let age = 0, run = await runs.at(0); run !== undefined; run = await runs.at(++age)) {
    const older = await runs.at(age + 1);
    yield* (await messagesOfRun(store, run, { objects, older })).toReversed();
  }
}

/**
 * Reads the messages that a run was the first to read and the messages that it wrote, without
 * deleted messages.
 *
 * @param thread.older the run before it in the thread
 */
export async function messagesOfRun(
  store: Store,
  run: RunRecord,
  { objects, older }: Pick<ThreadParts, "objects"> & { readonly older: RunRecord | undefined },
): Promise<readonly MessageView[]> {
  const { owner, id: runId } = run;
  const read =
    runWire(run) === undefined
      ? inputViews(run, (await store.readInput({ owner, runId })) ?? [])
      : firstReadBy(run, older).flatMap((id) => {
          const record = objects.get(id);
          return (record && createdView(record)) ?? [];
        });
  const written = run.kind === "edit" ? [] : (await readRunObjects(store, run)).messages();
  return [...read, ...written].flatMap(
    (message) => changedView(message, objects.get(message.id)) ?? [],
  );
}

/** The runs of a thread. They are read one by one from the newest one on, as far as they are needed. */
export interface ThreadRuns {
  /** Returns a run by its age: 0 is the newest one. Undefined after the oldest one. */
  at(age: number): Promise<RunRecord | undefined>;
  /** Returns all runs, the oldest first. */
  all(): Promise<readonly RunRecord[]>;
  /** Yields the runs in an order. */
  list(order: "asc" | "desc"): AsyncGenerator<RunRecord, void, undefined>;
}

/** Returns the runs of a thread. */
export function threadRuns(store: Pick<Store, "getRun">, { conversation }: Thread): ThreadRuns {
  const { owner, id: conversationId, headRunId } = conversation;
  /** The newest first. */
  const read: RunRecord[] = [];
  let next = headRunId;
  const readNext = async (): Promise<boolean> => {
    if (next === null) return false;
    const run = await store.getRun({ owner, id: next });
    // A fork continues a run of another conversation, whose messages it has copied.
    if (run?.conversationId !== conversationId) {
      next = null;
      return false;
    }
    next = run.parentId;
    read.push(run);
    return true;
  };
  const at = async (age: number): Promise<RunRecord | undefined> => {
    while (read.length <= age && (await readNext()));
    return read[age];
  };
  const all = async (): Promise<readonly RunRecord[]> => {
    while (await readNext());
    return read.toReversed();
  };
  return {
    at,
    all,
    async *list(order) {
      if (order === "asc") return yield* await all();
      for (let age = 0, run = await at(0); run !== undefined; run = await at(++age)) yield run;
    },
  };
}

/**
 * Returns the ids of the added messages that a run was the first to read. A retry is never the
 * first, because the retried run has read the same messages.
 *
 * @param older the run before it
 */
function firstReadBy(run: RunRecord, older: RunRecord | undefined): readonly string[] {
  const earlier = new Set(older && runWire(older)?.messages);
  return (runWire(run)?.messages ?? []).filter((id) => !earlier.has(id));
}

/**
 * Returns the ids of the added messages that no run has read, in the order in which they were
 * added. Each run reads all unread messages. So if a run before the newest one has read a message,
 * all older messages were read by then.
 */
async function unreadMessages(
  runs: Pick<ThreadRuns, "at">,
  added: readonly string[],
): Promise<readonly string[]> {
  const positions = new Map(added.map((id, position) => [id, position]));
  const read = new Set<string>();
  let isNewest = true;
  for (let age = 0; read.size < added.length; age++) {
    const run = await runs.at(age);
    if (run === undefined) break;
    const known = (runWire(run)?.messages ?? []).filter((id) => positions.has(id));
    if (known.length === 0) continue;
    for (const id of known) read.add(id);
    if (!isNewest) {
      const last = Math.max(...known.map((id) => positions.get(id) ?? 0));
      return added.slice(last + 1).filter((id) => !read.has(id));
    }
    isNewest = false;
  }
  return added.filter((id) => !read.has(id));
}
