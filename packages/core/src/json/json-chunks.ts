/** Approximate length of a piece, in UTF-16 units. */
const pieceLength = 32_768;

/** Approximate length of a value that is not a string, in characters. */
const otherLength = 8;

/**
 * Yields the text of `JSON.stringify` for plain data in pieces, so that a slow reader of many
 * megabytes does not need a second copy, and other work can run between two pieces. No piece ends
 * within a surrogate pair. Short JSON is one piece.
 */
export function* jsonChunks(value: object): Generator<string, void, undefined> {
  if (isShort(value)) return yield JSON.stringify(value);
  let ready = "";
  for (const part of parts(value)) {
    if (ready !== "" && ready.length + part.length > pieceLength) {
      yield ready;
      ready = "";
    }
    ready += part;
  }
  yield ready;
}

function* parts(value: unknown): Generator<string, void, undefined> {
  if (isShort(value)) yield JSON.stringify(value ?? null);
  else if (typeof value === "string") yield* partsOfText(value);
  else if (hasOwnJson(value)) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      yield index === 0 ? "[" : ",";
      yield* parts(element);
    }
    yield "]";
  } else if (typeof value === "object" && value !== null) {
    let before = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* parts(member);
      before = ",";
    }
    yield "}";
  }
}

function* partsOfText(text: string): Generator<string, void, undefined> {
  yield '"';
  for (let from = 0; from < text.length;) {
    const to = endOfPart(text, from + pieceLength);
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

function isShort(value: unknown): boolean {
  return roomBehind(value, pieceLength) >= 0;
}

function hasOwnJson(value: unknown): boolean {
  return typeof (value as { readonly toJSON?: unknown } | null)?.toJSON === "function";
}

/** Returns the number of characters left in a piece after a value; negative if it does not fit. */
function roomBehind(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  let left = room - otherLength;
  if (typeof value !== "object" || value === null) return left;
  for (const member of Object.values(value)) {
    left = roomBehind(member, left);
    if (left < 0) break;
  }
  return left;
}

/** Never splits a surrogate pair, because each half alone would be written as an escape. */
function endOfPart(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at + 1 : at;
}
