import { wholeStore } from "../../records/search.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";
import { mergeWords } from "./merge-words.ts";

type Collect = Extract<StoreWrite, { type: "collect-chunks" }>;

/** Hidden versions, except those that a claim is writing. A later claim has another version. */
const findHidden = statement<{
  store_id: string;
  file_id: string;
  from_version: number;
  to_version: number;
}>(
  { reads: ["hidden_chunks", "search_objects"] },
  ({ lock }) => `SELECT h.store_id, h.file_id, h.from_version, h.to_version FROM hidden_chunks h
    WHERE NOT EXISTS (SELECT 1 FROM search_objects o WHERE o.id = h.store_id || '/' || h.file_id
      AND o.revision = h.from_version AND o.status = 'in_progress')
    LIMIT 1${lock("h")}`,
);

const findOfFile = statement<{ n: number }>(
  { reads: ["search_chunks"] },
  `SELECT n FROM search_chunks
    WHERE store_id = ? AND file_id = ? AND version >= ? AND version <= ? LIMIT ?`,
);

const findOfStore = statement<{ n: number }>(
  { reads: ["search_chunks"] },
  "SELECT n FROM search_chunks WHERE store_id = ? LIMIT ?",
);

const findObjects = statement<{ id: string }>(
  { reads: ["search_objects"] },
  "SELECT id FROM search_objects WHERE parent_id = ? LIMIT ?",
);

const deleteChunks = statement(
  { writes: ["search_chunks"] },
  ({ anyOf }) => `DELETE FROM search_chunks WHERE n ${anyOf}`,
);

const deleteObjects = statement(
  { writes: ["search_objects"] },
  ({ anyOf }) => `DELETE FROM search_objects WHERE id ${anyOf}`,
);

/**
 * Deletes hidden parts, as many as one commit can delete without delaying others. The row that hides
 * them is deleted last, so that a later collection finds the others after a crash.
 */
export function* collectChunks(
  { changes, database }: WriteContext,
  { rows }: Collect,
): Script<OutcomeOf<Collect>> {
  const hidden = yield* first(findHidden);
  const isMerging = database === "sqlite" && (yield* mergeWords());
  if (hidden === undefined) return { status: "collected_chunks", rows: 0, more: isMerging };
  const { store_id, file_id, from_version, to_version } = hidden;
  const isStore = file_id === wholeStore;
  const chunks = isStore
    ? yield* all(findOfStore, store_id, rows)
    : yield* all(findOfFile, store_id, file_id, from_version, to_version, rows);
  const left = rows - chunks.length;
  const objects = isStore && left > 0 ? yield* all(findObjects, store_id, left) : [];
  const deleted = chunks.length + objects.length;
  if (chunks.length > 0)
    changes.run(
      deleteChunks,
      chunks.map(({ n }) => n),
    );
  if (objects.length > 0)
    changes.run(
      deleteObjects,
      objects.map(({ id }) => id),
    );
  if (deleted < rows) changes.remove("hidden_chunks", { store_id, file_id, from_version });
  return { status: "collected_chunks", rows: deleted, more: true };
}
