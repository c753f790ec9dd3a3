import { pipeline, Readable, type Duplex } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import { RequestError } from "./errors.ts";

const decoders = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
  ["zstd", createZstdDecompress],
]);

/** Bodies with fewer bytes are read at once. */
const shortBytes = 65_536;

/** Returns the declared length of a body, which HTTP servers enforce. */
function lengthOf({ headers }: Request): number {
  return Number(headers.get("content-length") ?? Number.NaN);
}

/** More codings would only make a small body expand further. */
const maxCodings = 2;

/**
 * Yields a request's body, decoded from its `Content-Encoding`. The consumer limits the decoded
 * size: it stops reading, and decoding stops with it.
 *
 * @throws RequestError 415 for an unknown coding, 400 if the body is not in its coding
 */
export async function* decodedBody(request: Request): AsyncGenerator<Uint8Array> {
  const codings = (request.headers.get("content-encoding") ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  // Reading a short body at once takes a fraction of the time of reading a stream.
  if (codings.length === 0 && lengthOf(request) <= shortBytes) {
    yield new Uint8Array(await request.arrayBuffer());
    return;
  }
  const { body } = request;
  if (body === null) return;
  if (codings.length === 0) return yield* body;
  const streams = codings.toReversed().map((coding) => decoders.get(coding)?.());
  const known = streams.filter((stream) => stream !== undefined);
  if (known.length < codings.length || codings.length > maxCodings) throw unsupported(codings);
  const source = Readable.from(body, { objectMode: false });
  const decoded = known.reduce<Readable>((from, to) => pipeline(from, to, () => undefined), source);
  try {
    yield* decoded as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw isDecoderError(thrown) ? invalid(codings) : thrown;
  } finally {
    for (const stream of [source, ...known]) stream.destroy();
  }
}

function isDecoderError(thrown: unknown): boolean {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return /^(?:Z_|ZSTD_|ERR__|ERR_BROTLI|ERR_ZSTD)/.test(code);
}

function unsupported(codings: readonly string[]): RequestError {
  const message = `Content-Encoding: "${codings.join(", ").slice(0, 100)}" is not supported. Send the body uncompressed, or with at most ${maxCodings} of gzip, deflate, br and zstd.`;
  return new RequestError({
    status: 415,
    param: "content-encoding",
    code: "unsupported_content_encoding",
    message,
  });
}

function invalid(codings: readonly string[]): RequestError {
  const message = `The body is not valid ${codings.join(", ")}, as its Content-Encoding says. Send it again.`;
  return new RequestError({ param: "content-encoding", code: "invalid_content_encoding", message });
}
