import { idKey } from "../../sql/id-key.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type SaveItems = Extract<StoreWrite, { type: "save-items" }>;

const findLast = statement<{ n: number }>(
  { reads: ["items"] },
  "SELECT COALESCE(MAX(n), 0) AS n FROM items WHERE run_n = ? AND direction = ?",
);

/** Appends Responses items to a run. */
export function* saveItems(context: WriteContext, write: SaveItems): Script<OutcomeOf<SaveItems>> {
  const run = context.runs.get(write.runId);
  if (run === undefined) return { status: "not_found" };
  const { direction, items } = write;
  const row = yield* first(findLast, run.n, direction);
  let n = row?.n ?? 0;
  for (const { id, callId, item } of items) {
    n += 1;
    context.changes.insert("items", {
      run_n: run.n,
      direction,
      n,
      owner: run.owner,
      id: idKey(id),
      call_id: callId === undefined ? null : idKey(callId),
      item: JSON.stringify(item),
    });
  }
  return { status: "saved" };
}
