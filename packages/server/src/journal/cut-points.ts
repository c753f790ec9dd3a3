/** One delta of an item: its event's number and its text. */
export interface Delta {
  readonly seq: number;
  readonly delta: string;
}

/**
 * Deltas put together. `cuts` says where the text was cut: `12:4,3,5;20:7` is three deltas numbered
 * from 12, of 4, 3 and 5 UTF-16 units, and one numbered 20, of 7.
 */
export interface CutText {
  readonly text: string;
  readonly cuts: string;
  /** The number of the first delta, and of the last. */
  readonly from: number;
  readonly last: number;
}

/** Adds a delta to those before it. */
export function addDelta(before: CutText | undefined, { seq, delta }: Delta): CutText {
  if (before === undefined)
    return { text: delta, cuts: `${seq}:${delta.length}`, from: seq, last: seq };
  const cut = seq === before.last + 1 ? `,${delta.length}` : `;${seq}:${delta.length}`;
  return { ...before, text: before.text + delta, cuts: before.cuts + cut, last: seq };
}

/** The deltas again, from the whole text and its cut points. */
export function decodeCuts(cuts: string, text: string): Delta[] {
  const deltas: Delta[] = [];
  let start = 0;
  if (cuts === "") return deltas;
  for (const stretch of cuts.split(";")) {
    const colon = stretch.indexOf(":");
    let seq = Number(stretch.slice(0, colon));
    for (const length of stretch.slice(colon + 1).split(",")) {
      const end = start + Number(length);
      deltas.push({ seq, delta: text.slice(start, end) });
      start = end;
      seq += 1;
    }
  }
  return deltas;
}
