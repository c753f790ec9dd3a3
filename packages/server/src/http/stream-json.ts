/**
 * Answers with JSON in pieces, each made when the reader takes it: a long answer neither holds up
 * other requests nor exists whole a second time.
 *
 * @example return streamJson(jsonChunks(response));
 */
export function streamJson(chunks: Iterable<string> | AsyncIterable<string>): Response {
  const iterator: Iterator<string, unknown> | AsyncIterator<string, unknown> =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextTurn();
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

/** The JSON of one value, in pieces. */
type JsonPieces = Iterable<string> | AsyncIterable<string>;

/**
 * A list in OpenAI's form, of which each item is read when its turn comes.
 *
 * @param ends the ids of the first and the last item, null for an empty list
 */
export async function* listChunks(
  items: Iterable<JsonPieces> | AsyncIterable<JsonPieces>,
  ends: { readonly hasMore: boolean; readonly first: string | null; readonly last: string | null },
): AsyncGenerator<string> {
  yield '{"object":"list","data":[';
  let separator = "";
  for await (const item of items) {
    let before = separator;
    for await (const chunk of item) {
      yield before + chunk;
      before = "";
    }
    separator = ",";
  }
  const { hasMore, first, last } = ends;
  const rest = JSON.stringify({ has_more: hasMore, first_id: first, last_id: last });
  yield `],${rest.slice(1)}`;
}

/** About so long is a piece, in UTF-16 units. */
const pieceLength = 32_768;

/** What a value takes that is no text, about. */
const otherLength = 8;

/**
 * What `JSON.stringify` gives of plain data, in pieces: of texts of many megabytes, or many texts, no
 * second one is made for who reads slowly. What is short is one piece.
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

/** What is left of the room for a piece behind a value; less than 0 where it has none. */
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

/** Not within a character of two units: each alone would be written as an escape. */
function endOfPart(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at + 1 : at;
}

/** How long streams may write before other work gets its turn, in ms. */
const turnMs = 8;

/** When the first stream wrote in this turn of the event loop. */
let began: number | undefined;

/**
 * Waits for the next turn of the event loop, if streams have written for long in this one. Sockets
 * of readers that are fast take all that is written at once, and then streams alone would run:
 * promises come before timers, other requests and other connections.
 */
export async function nextTurn(): Promise<void> {
  const now = performance.now();
  if (began === undefined) {
    began = now;
    setImmediate(() => (began = undefined));
  } else if (now - began > turnMs) await new Promise<void>((resolve) => setImmediate(resolve));
}
