import type { Store } from "../live/store.ts";
import { commit, createRun, delta, end, resultOf, start } from "./store-fixtures.ts";

/** The texts of an item's deltas. */
export const deltaTexts = [
  "Deltas ",
  "of ",
  "an ",
  "answer, ",
  "😀",
  "é",
  " cut",
  " where ",
  "they",
  " were.",
];

/** Creates a run with two interleaved items that ended and one that was cut off, all in deltas. */
export async function writeStreamedItems(store: Store, id: string): Promise<void> {
  await createRun(store, { id });
  const text = deltaTexts.join("");
  const of = (item: string, from: number, to?: number) =>
    deltaTexts.slice(from, to).map((word) => delta(item, word));
  // Two interleaved items.
  await commit(store, id, [start("a"), start("b"), ...of("a", 0, 5), ...of("b", 0, 7)]);
  await commit(store, id, [...of("a", 5), ...of("b", 7), end("a", text), end("b", text)]);
  // An item that was cut off exists only as deltas.
  await commit(store, id, [start("c"), delta("c", "so "), delta("c", "far"), resultOf("aborted")]);
}
