import { forgottenOwner, readLineage } from "../../read/retention/lineage.ts";
import type { Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

const deleteFiles = statement(
  { reads: ["run_files", "runs"], writes: ["files"] },
  `DELETE FROM files WHERE owner = ? AND id IN (
     SELECT f.file_id FROM run_files f JOIN runs r ON r.n = f.run_n WHERE r.session_id = ?
   )`,
);

type Forget = Extract<StoreWrite, { type: "forget-lineage" }>;

/**
 * Hides a lineage from its owner in one commit: deletes its conversations and the files of its tools,
 * and removes the owner of its runs. Later commits delete the runs' rows.
 */
export function* forgetLineage(
  { changes, runs, notes }: WriteContext,
  { owner, start, before }: Forget,
): Script<OutcomeOf<Forget>> {
  const lineage = yield* readLineage({ owner, start }, true);
  if (lineage === undefined) return { status: "not_found" };
  if (lineage.touchedAt >= before)
    return { status: "refused", reason: `The ${start.type} ${start.id} was changed since.` };
  if (lineage.holds.length > 0) {
    const why = lineage.holds.join(", ");
    return { status: "refused", reason: `The ${start.type} ${start.id} is still needed: ${why}.` };
  }
  for (const id of lineage.conversations) {
    changes.remove("thread_objects", { conversation_id: id });
    changes.remove("shares", { conversation_id: id });
    changes.remove("conversations", { id });
    notes.push({ owner, event: { type: "conversation.deleted", conversation: id } });
  }
  for (const id of lineage.sessions) {
    changes.run(deleteFiles, owner, id);
    const forgotten = { owner: forgottenOwner, conversation_id: null };
    changes.update("runs", { session_id: id, owner }, forgotten);
    changes.remove("grants", { session_id: id, owner });
  }
  // A run of the same batch that continues one of them must not find it.
  for (const id of lineage.runIds) runs.drop(id);
  return { status: "deleted", runIds: lineage.runIds };
}
