import { addDelta, type CutText, type Delta } from "../../encode/event-layout.ts";
import type { Script } from "../../sql/script.ts";
import { readDeltaChain, readTail } from "../../read/tail.ts";
import type { OpenItem, RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/** An item's deltas are cached up to this length, so that they need not be read when it ends. */
const maxCached = 65_536;

/** Appends a delta to its item, as row `n` of the tail and the run's last event. */
export function appendDelta(
  context: WriteContext,
  run: RunState,
  row: {
    readonly n: number;
    readonly seq: number;
    readonly itemId: string;
    readonly delta: string;
  },
): RunState {
  const { n, seq, itemId, delta } = row;
  const previous = run.open.find((item) => item.itemId === itemId);
  context.changes.insert("tail", {
    n,
    run_n: run.n,
    seq,
    owner: run.owner,
    item_id: itemId,
    prev: previous?.head ?? null,
    delta: JSON.stringify(delta),
  });
  const { first = n, rows = 0 } = previous ?? {};
  const item = {
    itemId,
    head: n,
    first,
    rows: rows + 1,
    cached: cacheIfSmall(previous, { seq, delta }),
  };
  const others = run.open.filter((open) => open !== previous);
  return { ...run, lastSeq: seq, nth: 0, open: [...others, item] };
}

function cacheIfSmall(previous: OpenItem | undefined, delta: Delta): CutText | undefined {
  if (previous !== undefined && previous.cached === undefined) return undefined;
  const cached = addDelta(previous?.cached, delta);
  return cached.text.length > maxCached ? undefined : cached;
}

/** Returns the deltas of an unfinished item as one text. */
export function* readDeltas(
  { database }: WriteContext,
  run: RunState,
  { itemId, head }: OpenItem,
): Script<CutText | undefined> {
  const range = { runN: run.n, after: 0, upTo: run.lastSeq };
  const deltas =
    database === "sqlite"
      ? yield* readDeltaChain({ ...range, head, itemId })
      : (yield* readTail({ ...range, items: undefined })).filter((row) => row.itemId === itemId);
  return deltas.reduce<CutText | undefined>(addDelta, undefined);
}

/** Removes the deltas of an item from the tail. */
export function removeDeltas(
  { trim, changes }: WriteContext,
  run: RunState,
  { itemId, rows }: OpenItem,
): void {
  if (trim === null) changes.remove("tail", { run_n: run.n, item_id: itemId });
  else trim.add(rows);
}
