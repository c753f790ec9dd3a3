/** Encodes a message between host and worker: four bytes of length, big-endian, then JSON. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** The result of reading frames. */
export type Decoded =
  | { readonly status: "message"; readonly message: unknown }
  /** Nothing after it can be read. */
  | {
      readonly status: "broken";
      readonly reason: "too_large" | "too_many_values" | "no_json";
      readonly bytes: number;
    };

/**
 * The maximum number of JSON values in a frame, because even short values take time of the event
 * loop.
 */
export const maxFrameValues = 1_000_000;

type Broken = Extract<Decoded, { readonly status: "broken" }>;

/** Reads frames from chunks of bytes; `push` returns the frames that are complete now. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #held = 0;
  #broken = false;

  constructor(options: { readonly maxBytes: number }) {
    this.#maxBytes = options.maxBytes;
  }

  push(chunk: Buffer): readonly Decoded[] {
    if (this.#broken) return [];
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const decoded: Decoded[] = [];
    while (this.#held >= 4) {
      const bytes = this.#peekLength();
      if (bytes > this.#maxBytes) return [...decoded, this.#break("too_large", bytes)];
      if (this.#held < 4 + bytes) break;
      const frame = this.#take(4 + bytes);
      if (hasMoreValues(frame.subarray(4), maxFrameValues))
        return [...decoded, this.#break("too_many_values", bytes)];
      try {
        decoded.push({ status: "message", message: JSON.parse(frame.toString("utf8", 4)) });
      } catch {
        return [...decoded, this.#break("no_json", bytes)];
      }
    }
    return decoded;
  }

  #break(reason: Broken["reason"], bytes: number): Decoded {
    this.#broken = true;
    this.#chunks = [];
    return { status: "broken", reason, bytes };
  }

  #peekLength(): number {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= 4) return first.readUInt32BE();
    return this.#join().readUInt32BE();
  }

  #take(count: number): Buffer {
    const all = this.#join();
    this.#chunks = all.length > count ? [all.subarray(count)] : [];
    this.#held = all.length - count;
    return all.subarray(0, count);
  }

  /** Joins the chunks only when a frame is complete, not for each chunk. */
  #join(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

const [quote, backslash, comma, brace, bracket] = Buffer.from('"\\,{[');

/** Returns whether JSON has more values than the limit, without parsing it. */
function hasMoreValues(json: Buffer, limit: number): boolean {
  // A value takes at least two bytes, with its separator.
  if (json.length <= 2 * limit) return false;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at);
    else if (byte === comma || byte === brace || byte === bracket) values += 1;
    if (values > limit) return true;
  }
  return false;
}

/** Returns the position of the quote that ends a text. */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote ?? 0, start + 1); ; end = json.indexOf(quote ?? 0, end + 1)) {
    if (end === -1) return json.length;
    let escapes = end;
    while (json[escapes - 1] === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
}
