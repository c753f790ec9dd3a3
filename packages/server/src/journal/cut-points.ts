/** One delta of an item: its event's number and its text. */
export interface Delta {
  readonly seq: number;
  readonly delta: string;
}

/**
 * Where a text was cut into deltas: `12:4,3,5;20:7` is three deltas numbered from 12, of 4, 3 and 5
 * UTF-16 units, and one numbered 20, of 7.
 */
export function encodeCuts(deltas: readonly Delta[]): string {
  let text = "";
  let expected = -1;
  for (const { seq, delta } of deltas) {
    if (seq === expected) text += `,${delta.length}`;
    else text += `${text === "" ? "" : ";"}${seq}:${delta.length}`;
    expected = seq + 1;
  }
  return text;
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
