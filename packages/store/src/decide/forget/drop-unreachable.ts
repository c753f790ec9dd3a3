import { readSessionVersion } from "../../read/retention/read-unreachable.ts";
import type { Script } from "../../sql/script.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type DropUnreachable = Extract<StoreWrite, { type: "drop-unreachable" }>;

/** Deletes the unreachable rows that a read found, unless the session has changed since. */
export function* dropUnreachable(
  { changes }: WriteContext,
  { found }: DropUnreachable,
): Script<OutcomeOf<DropUnreachable>> {
  const { sessionId, seen, manifests, values } = found;
  if ((yield* readSessionVersion(sessionId, true)) !== seen)
    return { status: "refused", reason: `Session ${sessionId} has changed since.` };
  for (const digest of manifests) changes.remove("manifests", { session_id: sessionId, digest });
  for (const digest of values) changes.remove("variable_values", { session_id: sessionId, digest });
  return { status: "dropped" };
}
