import type { Journal } from "../records/store-writes.ts";

/**
 * What a model says as it comes: a journal that only adds to one item under way. Of all journals
 * these are by far the most, and the smallest: they are encoded and written without what others need.
 */
export interface EncodedDeltas {
  readonly type: "deltas";
  readonly runId: string;
  readonly epoch: number;
  readonly itemId: string;
  readonly deltas: readonly string[];
}

/** @returns undefined where it says something else, too */
export function encodeDeltas({ runId, epoch, status, writes }: Journal): EncodedDeltas | undefined {
  const itemId = deltaOf(writes[0])?.itemId;
  if (itemId === undefined || status !== undefined) return undefined;
  const deltas: string[] = [];
  for (const write of writes) {
    const event = deltaOf(write);
    if (event?.itemId !== itemId) return undefined;
    deltas.push(event.delta);
  }
  return { type: "deltas", runId, epoch, itemId, deltas };
}

function deltaOf(write: Journal["writes"][number] | undefined) {
  return write?.type === "event" && write.event.type === "item.delta" ? write.event : undefined;
}
