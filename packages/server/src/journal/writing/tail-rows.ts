import { addDelta, type CutText } from "../cut-points.ts";
import type { Script } from "../script.ts";
import { readChain, readTail } from "../tail.ts";
import type { OpenItem, RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/** Adds a delta under the run's last number, as the tail's row `n`. */
export function appendDelta(
  writing: Writing,
  run: RunState,
  row: { n: number; itemId: string; delta: string; previous: number | undefined },
): void {
  const { n, itemId, delta, previous } = row;
  writing.changes.insert("tail", {
    n,
    run_n: run.n,
    seq: run.lastSeq,
    owner: run.owner,
    item_id: itemId,
    prev: previous ?? null,
    delta: JSON.stringify(delta),
  });
}

/** The deltas of an item under way, put together. */
export function* readDeltas(
  { dialect }: Writing,
  run: RunState,
  { itemId, head }: OpenItem,
): Script<CutText | undefined> {
  const range = { runN: run.n, after: 0, upTo: run.lastSeq };
  const deltas =
    dialect.name === "sqlite"
      ? yield* readChain({ ...range, head, itemId })
      : (yield* readTail({ ...range, items: undefined })).filter((row) => row.itemId === itemId);
  return deltas.reduce<CutText | undefined>(addDelta, undefined);
}

/** Removes the deltas of an item from the tail. */
export function removeDeltas(
  { trim, changes }: Writing,
  run: RunState,
  { itemId, head }: OpenItem,
): void {
  if (trim === null) changes.remove("tail", { run_n: run.n, item_id: itemId });
  else trim.add(head);
}
