import { forgottenOwner, readLineage } from "../../read/retention/lineage.ts";
import type { Script } from "../../sql/script.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type Forget = Extract<StoreWrite, { type: "forget-lineage" }>;

/**
 * Takes what hangs together out of everybody's sight, in one commit: its conversations go, its runs
 * are nobody's from now on. Their rows are deleted afterwards, in as many commits as it takes.
 */
export function* forgetLineage(
  { changes, dialect, runs }: WriteContext,
  { owner, start, before }: Forget,
): Script<OutcomeOf<Forget>> {
  const lineage = yield* readLineage({ owner, start }, dialect.lock("runs"));
  if (lineage === undefined) return { status: "not_found" };
  if (lineage.touchedAt >= before)
    return { status: "refused", reason: `The ${start.type} ${start.id} was changed since.` };
  if (lineage.holds.length > 0) {
    const why = lineage.holds.join(", ");
    return { status: "refused", reason: `The ${start.type} ${start.id} is still needed: ${why}.` };
  }
  for (const id of lineage.conversations) changes.run("DELETE FROM conversations WHERE id = ?", id);
  for (const id of lineage.sessions) {
    changes.run(
      "UPDATE runs SET owner = ?, conversation_id = NULL WHERE session_id = ? AND owner = ?",
      forgottenOwner,
      id,
      owner,
    );
    changes.run("DELETE FROM grants WHERE session_id = ? AND owner = ?", id, owner);
  }
  // A run of the same batch that wants to continue one of them must not find it.
  for (const id of lineage.runIds) runs.drop(id);
  return { status: "deleted", runIds: lineage.runIds };
}
