import type { JsonValue, Message } from "@capstan/core";
import {
  blobsOfMessages,
  isShort,
  type NewBlob,
  previewOf,
  splitList,
  type StoredList,
} from "../blobs/split-inputs.ts";
import type { NewRun, RunJournalWrite, StoreWrite } from "../records/store-writes.ts";

/** Writes with references in place of long inputs, and the blobs to store before them. */
export interface PreparedWrites {
  readonly writes: readonly StoreWrite[];
  readonly blobs: readonly NewBlob[];
}

/**
 * Returns whether these writes create a run with an input that is stored separately from its row.
 */
export function hasLongInputs(writes: readonly StoreWrite[]): boolean {
  return writes.some((write) => {
    if (write.type !== "create-run") return false;
    const { input, request, blobs = [], id } = write.run;
    const messages = openingMessages(writes, id);
    return (
      blobs.length > 0 ||
      blobsOfMessages(messages).length > 0 ||
      blobsOfMessages(contextOf(request)).length > 0 ||
      ![input, contextOf(request), messages].every(isShort)
    );
  });
}

/**
 * Splits the long inputs of new runs: their items, the context of their requests and their first
 * messages.
 */
export async function prepareInputs(writes: readonly StoreWrite[]): Promise<PreparedWrites> {
  const all: NewBlob[] = [];
  const prepared: StoreWrite[] = [];
  for (const write of writes) {
    if (write.type !== "create-run") {
      prepared.push(write);
      continue;
    }
    const { run } = write;
    const blobs = new Map((run.blobs ?? []).map((blob) => [blob.sha256, blob]));
    const context = contextOf(run.request);
    const messages = openingMessages(writes, run.id);
    for (const blob of [...blobsOfMessages(context), ...blobsOfMessages(messages)])
      if (!blobs.has(blob.sha256)) blobs.set(blob.sha256, blob);
    const fullInput = await splitList(run.input, blobs);
    const splitContext = await splitList(context, blobs);
    const request =
      splitContext === context
        ? run.request
        : { ...(run.request as object), context: splitContext as unknown as JsonValue };
    all.push(...blobs.values());
    prepared.push({
      type: "create-run",
      run: {
        ...run,
        request,
        ...(fullInput !== run.input && { input: previewOf(run.input), fullInput }),
        blobs: [...blobs.values()],
      },
    });
  }
  // The messages of a new run are in the commit that creates it.
  for (const [index, write] of prepared.entries()) {
    if (write.type !== "journal") continue;
    const at = prepared.findIndex(
      (other) => other.type === "create-run" && other.run.id === write.runId,
    );
    const create = prepared[at];
    if (create?.type !== "create-run") continue;
    const messages = openingMessages([write], write.runId);
    const blobs = new Map<string, NewBlob>();
    const split = await splitList(messages, blobs);
    if (split === messages) continue;
    all.push(...blobs.values());
    const known = create.run.blobs ?? [];
    const run = { ...create.run, blobs: [...known, ...blobs.values()] };
    prepared[at] = { type: "create-run", run };
    prepared[index] = { ...write, writes: withMessages(write.writes, split) };
  }
  return { blobs: all, writes: prepared.map(withoutBytes) };
}

function contextOf(request: JsonValue): readonly Message[] {
  const context =
    typeof request === "object" && request !== null && "context" in request
      ? request["context"]
      : undefined;
  return Array.isArray(context) ? (context as readonly Message[]) : [];
}

function openingMessages(writes: readonly StoreWrite[], runId: string): readonly Message[] {
  return writes.flatMap((write) =>
    write.type === "journal" && write.runId === runId
      ? write.writes.flatMap((each) => (each.type === "message" ? each.message : []))
      : [],
  );
}

/** Replaces the messages, which all belong to one round, with the references. */
function withMessages(
  writes: readonly RunJournalWrite[],
  messages: StoredList<Message>,
): readonly RunJournalWrite[] {
  const round = writes.find((write) => write.type === "message")?.round ?? 0;
  return [
    ...messages.map(
      (message) => ({ type: "message", round, message: message as Message }) as const,
    ),
    ...writes.filter((write) => write.type !== "message"),
  ];
}

/** Removes bytes, which are not sent to the writer. */
function withoutBytes(write: StoreWrite): StoreWrite {
  if (write.type !== "create-run" || write.run.blobs === undefined) return write;
  const blobs = write.run.blobs.map(({ sha256, size }) => ({ sha256, size }));
  const run: NewRun = { ...write.run, blobs };
  return { type: "create-run", run };
}
