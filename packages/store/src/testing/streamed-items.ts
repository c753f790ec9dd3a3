import type { Store } from "../records/store.ts";
import { commit, createRun, delta, end, resultOf, start } from "./store-fixtures.ts";

/** The deltas of an item. */
export const words = [
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
  const text = words.join("");
  const of = (item: string, from: number, to?: number) =>
    words.slice(from, to).map((word) => delta(item, word));
  // Two at once, in turns.
  await commit(store, id, [start("a"), start("b"), ...of("a", 0, 5), ...of("b", 0, 7)]);
  await commit(store, id, [...of("a", 5), ...of("b", 7), end("a", text), end("b", text)]);
  // Cut off: what there is has no other form.
  await commit(store, id, [start("c"), delta("c", "so "), delta("c", "far"), resultOf("aborted")]);
}
