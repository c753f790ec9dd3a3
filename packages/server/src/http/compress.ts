import { Duplex } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from "hono/utils/compress";

/** A content coding that the server can send; the first one is preferred. */
const encodings = ["br", "gzip"] as const;
type ContentEncoding = (typeof encodings)[number];

/** Bodies with fewer bytes are sent uncompressed. */
const smallestCompressed = 1_024;
/**
 * Returns the coding that a client prefers among those offered, or `undefined` if it accepts none.
 *
 * @param header the request's `Accept-Encoding`
 * @example acceptedEncoding("gzip, br;q=0.5") // "gzip"
 */
export function acceptedEncoding(
  header: string | undefined,
  offered: readonly ContentEncoding[] = encodings,
): ContentEncoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim());
    const given = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, given === undefined ? 1 : Number(given.slice(2)));
  }
  const weight = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const [best] = offered
    .filter((name) => weight(name) > 0)
    .toSorted((a, b) => weight(b) - weight(a));
  return best;
}

/**
 * Compresses bodies of 1 KB and more with brotli or gzip, as the client accepts them. Compresses
 * event streams with gzip, and flushes each piece immediately.
 */
export const compress: MiddlewareHandler = async (context, next) => {
  await next();
  const { res: response, req: request } = context;
  const { headers } = response;
  const type = headers.get("Content-Type") ?? "";
  const isStream = type.startsWith("text/event-stream");
  const isCompressible = isStream || COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type);
  if (!isCompressible || headers.has("Content-Encoding")) return;
  headers.append("Vary", "Accept-Encoding");
  // A byte range refers to the uncompressed body.
  if (request.method === "HEAD" || response.status === 206 || headers.has("Content-Range")) return;
  // An open stream needs 60 KB of memory with gzip, and more than 1 MB with brotli.
  const offered: readonly ContentEncoding[] = isStream ? ["gzip"] : encodings;
  const encoding = acceptedEncoding(request.header("accept-encoding"), offered);
  if (encoding === undefined || response.body === null) return;
  const body = isStream ? response.body : await unlessSmall(response.body);
  if (body instanceof Uint8Array) {
    context.res = new Response(body, { status: response.status, headers });
    return;
  }
  headers.delete("Content-Length");
  headers.set("Content-Encoding", encoding);
  const tag = headers.get("ETag");
  // The bytes differ, so the tag becomes weak: it only promises equivalent content.
  if (tag?.startsWith('"') === true) headers.set("ETag", `W/${tag}`);
  const compressed = body.pipeThrough(isStream ? eventCompressor() : bodyCompressor(encoding));
  // Assigning to `res` would append the old response's headers.
  context.res = undefined;
  context.res = new Response(compressed, { status: response.status, headers });
};

type Transform = ReadableWritablePair<Uint8Array, Uint8Array>;

function bodyCompressor(encoding: ContentEncoding): Transform {
  return Duplex.toWeb(
    encoding === "gzip"
      ? createGzip()
      : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ) as Transform;
}

function eventCompressor(): Transform {
  const flush = constants.Z_SYNC_FLUSH;
  return Duplex.toWeb(createGzip({ flush, windowBits: 13, memLevel: 6 })) as Transform;
}

/** Returns the whole body if it is small, and otherwise a stream of the same bytes. */
async function unlessSmall(
  body: ReadableStream<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size < smallestCompressed) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces);
    pieces.push(value);
    size += value.length;
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
