import {
  HistoryError,
  type HistoryItem,
  type ResolvedItem,
  type StoredHistoryItem,
} from "./history-item.ts";

/** Returns the stored items with these ids, in the input or the output of runs of one owner. */
export type LookUpItems<Source> = (
  ids: ReadonlySet<string>,
) => Promise<ReadonlyMap<string, StoredHistoryItem<Source>>>;

/**
 * Replaces references with their items, and a client's copies of calls and approval requests of the
 * server with the stored ones. Of several items with one id only the first remains.
 *
 * @throws HistoryError `unknown_item`
 */
export async function resolveReferences<Source>(
  items: readonly HistoryItem<Source>[],
  lookUp: LookUpItems<Source>,
): Promise<readonly ResolvedItem<Source>[]> {
  // Reading an item means reading its run, so other items are known by their ids only.
  const ids = new Set(
    items.flatMap((item) =>
      item.id === undefined || !(item.type === "reference" || isOfServer(item)) ? [] : [item.id],
    ),
  );
  const stored = ids.size === 0 ? new Map<string, StoredHistoryItem<Source>>() : await lookUp(ids);
  const full = new Set(items.flatMap((item) => (item.type === "reference" ? [] : keyOf(item))));
  const seen = new Set<string>();
  const resolved: ResolvedItem<Source>[] = [];
  for (const item of items) {
    const known = item.id === undefined ? undefined : stored.get(item.id);
    if (item.type === "reference") {
      const key = item.id;
      if (full.has(key) || seen.has(key)) continue;
      seen.add(key);
      if (known?.isDurable !== true || known.item.type === "reference")
        throw new HistoryError({ reason: "unknown_item", at: item.at, id: item.id });
      resolved.push({ ...known.item, id: item.id, at: item.at, runId: known.runId });
      continue;
    }
    const [key] = keyOf(item);
    if (key !== undefined) {
      if (seen.has(key)) continue;
      seen.add(key);
    }
    if (!isOfServer(item)) resolved.push(item);
    else if (known?.item.type !== item.type) resolved.push({ ...item, runId: undefined });
    else resolved.push({ ...known.item, at: item.at, runId: known.runId });
  }
  return resolved;
}

/** An empty id names nothing. An approval response may have the id of its request. */
function keyOf({ id, type }: HistoryItem): readonly string[] {
  return id === undefined || id === "" || type === "approval_response" ? [] : [id];
}

function isOfServer({ type }: HistoryItem): boolean {
  return type === "server_call" || type === "approval_request";
}
