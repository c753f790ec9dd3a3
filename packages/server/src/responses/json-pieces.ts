import { randomUUID } from "node:crypto";

/** The length of a piece of a long text, in UTF-16 units. */
const pieceLength = 32_768;

/** Stands for a long text; no text has it in it. */
const mark = randomUUID();

/**
 * What `JSON.stringify` gives, in pieces: of a text of many megabytes no second one is made for who
 * reads slowly. What has no long text is one piece.
 */
export function* jsonPieces(value: object): Generator<string, void, undefined> {
  if (!hasLongText(value)) return yield JSON.stringify(value);
  const texts: string[] = [];
  const json = JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== "string" || !hasLongText(member)) return member;
    texts.push(member);
    return mark;
  });
  const [first = "", ...behind] = json.split(`"${mark}"`);
  let before = first;
  for (const [index, text] of texts.entries()) {
    yield `${before}"`;
    for (let from = 0; from < text.length;) {
      const to = endOfPiece(text, from + pieceLength);
      yield JSON.stringify(text.slice(from, to)).slice(1, -1);
      from = to;
    }
    before = `"${behind[index] ?? ""}`;
  }
  yield before;
}

function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > pieceLength;
  return typeof value === "object" && value !== null && Object.values(value).some(hasLongText);
}

/** Not within a character of two units: each alone would be written as an escape. */
function endOfPiece(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at + 1 : at;
}
