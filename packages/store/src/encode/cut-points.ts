/** One delta of an item: its event's number and its text. */
export interface Delta {
  readonly seq: number;
  readonly delta: string;
}

/**
 * Deltas put together. `cuts` says where the text was cut: `12:4,3,5;20:7` is three deltas numbered
 * from 12, of 4, 3 and 5 UTF-16 units, and one numbered 20, of 7. Older databases may have `12x3;20x1`:
 * as many under the same numbers, of which it was forgotten how long each was; the text is cut evenly.
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
  if (cuts === "") return [];
  if (cuts.includes("x")) return decodeEven(cuts, text);
  const deltas: Delta[] = [];
  let start = 0;
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

/** How many deltas there are. */
export function countCuts(cuts: string): number {
  return cuts.includes("x") ? numbersOf(cuts).length : cuts.split(/[,;]/).length;
}

function decodeEven(cuts: string, text: string): Delta[] {
  const numbers = numbersOf(cuts);
  let start = 0;
  return numbers.map((seq, index) => {
    const end = cutAt(text, Math.floor(((index + 1) * text.length) / numbers.length));
    const delta = text.slice(start, end);
    start = end;
    return { seq, delta };
  });
}

/** A place that is not within a character of two units. */
function cutAt(text: string, at: number): number {
  const within =
    /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");
  return within ? at + 1 : at;
}

function numbersOf(cuts: string): number[] {
  return cuts.split(";").flatMap((stretch) => {
    const [from, count] = stretch.split("x").map(Number);
    return Array.from({ length: count ?? 0 }, (_, index) => (from ?? 0) + index);
  });
}
