import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import type { Writing } from "./writing.ts";

type SaveItems = Extract<StoreWrite, { type: "save-items" }>;

export function saveItems({ sql }: Writing, write: SaveItems): OutcomeOf<SaveItems> {
  const run = sql.get<{ n: number; owner: string }>(
    "SELECT n, owner FROM runs WHERE id = ?",
    write.runId,
  );
  if (run === undefined) return { status: "not_found" };
  for (const { id, callId, item } of write.items) {
    sql.run(
      `INSERT INTO items (run_n, direction, n, owner, id, call_id, item)
       SELECT ?, ?, COALESCE(MAX(n), 0) + 1, ?, ?, ?, ? FROM items WHERE run_n = ? AND direction = ?`,
      run.n,
      write.direction,
      run.owner,
      id,
      callId ?? null,
      JSON.stringify(item),
      run.n,
      write.direction,
    );
  }
  return { status: "saved" };
}
