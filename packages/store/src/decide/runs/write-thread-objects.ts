import { isDeepStrictEqual } from "node:util";
import {
  selectThreadObjects,
  threadObjectRecord,
  type ThreadObjectRow,
} from "../../read/read-thread-objects.ts";
import { readable } from "../../read/page.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type SaveObject = Extract<StoreWrite, { type: "save-thread-object" }>;
type DeleteObject = Extract<StoreWrite, { type: "delete-thread-object" }>;

const lockObject = statement<ThreadObjectRow>(
  { reads: ["thread_objects"] },
  (dialect) => `${selectThreadObjects(dialect)} WHERE id = ?${dialect.lock("thread_objects")}`,
);

/** The lock keeps another node from deleting the conversation before this commit. */
const lockConversation = statement(
  { reads: ["conversations"] },
  ({ lock }) =>
    `SELECT 1 AS ok FROM conversations WHERE id = ? AND owner = ?${lock("conversations")}`,
);

const findObject = statement(
  { reads: ["thread_objects"] },
  "SELECT 1 AS ok FROM thread_objects WHERE id = ? AND owner = ?",
);

const sumObjects = statement<{ objects: number; bytes: number }>(
  { reads: ["thread_objects"] },
  `SELECT COUNT(*) AS objects, CAST(COALESCE(SUM(OCTET_LENGTH(data)), 0) AS BIGINT) AS bytes
    FROM thread_objects WHERE conversation_id = ?`,
);

/** Creates an object of a thread, or replaces its data. */
export function* saveThreadObject(
  context: WriteContext,
  { limit, ...write }: SaveObject,
  at: number,
): Script<OutcomeOf<SaveObject>> {
  const outcome = yield* saveObject(context, write, at);
  if (limit === undefined || outcome.status !== "saved_object") return outcome;
  const sum = yield* first(sumObjects, write.conversationId);
  if ((sum?.objects ?? 0) > limit.objects)
    return { status: "refused", reason: `A thread can have at most ${limit.objects} messages.` };
  if ((sum?.bytes ?? 0) > limit.bytes)
    return {
      status: "refused",
      reason: `The messages of a thread can have at most ${limit.bytes} bytes together.`,
    };
  return outcome;
}

function* saveObject(
  { changes }: WriteContext,
  { owner, id, conversationId, kind, data, replaces }: Omit<SaveObject, "limit">,
  at: number,
): Script<OutcomeOf<SaveObject>> {
  const conversation = yield* first(lockConversation, conversationId, owner);
  if (conversation === undefined) return { status: "not_found" };
  const row = yield* first(lockObject, id);
  if (row !== undefined && row.owner !== owner) return { status: "not_found" };
  const before = row && readable(row, threadObjectRecord);
  if (replaces !== undefined && !isDeepStrictEqual(before?.data ?? null, replaces))
    return { status: "refused", reason: "The thread has changed in the meantime. Try again." };
  // An update would leave a corrupt row corrupt, so the row is replaced.
  if (row !== undefined && before === undefined) changes.remove("thread_objects", { id });
  const createdAt = before?.createdAt ?? at;
  const changed = { updated_at: at, data: JSON.stringify(data) };
  if (before === undefined)
    changes.insert("thread_objects", {
      id,
      owner,
      conversation_id: conversationId,
      kind,
      created_at: createdAt,
      ...changed,
    });
  else changes.update("thread_objects", { id }, changed);
  // Retention and lists go by the last change of the conversation.
  changes.update("conversations", { id: conversationId }, { updated_at: at });
  return {
    status: "saved_object",
    object: { id, owner, conversationId, kind, data, createdAt, updatedAt: at },
  };
}

/** Deletes an object of a thread. */
export function* deleteThreadObject(
  { changes }: WriteContext,
  { owner, id }: DeleteObject,
): Script<OutcomeOf<DeleteObject>> {
  const known = yield* first(findObject, id, owner);
  if (known === undefined) return { status: "not_found" };
  changes.remove("thread_objects", { id });
  return { status: "removed" };
}
