import { Readable } from "node:stream";
import type { Context } from "hono";
import type { FileRecord, Store } from "@capstan/store";
import { errorResponse, RequestError } from "../http/errors.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { Environment } from "../http/services.ts";
import { requestedRange } from "./byte-range.ts";
import { attachment } from "./file-name.ts";

/** Types of pictures that cannot contain scripts. */
const picture = /^image\/(png|jpeg|gif|webp)$/;

interface ContentOptions {
  readonly store: Pick<Store, "streamBlob">;
  /** The response counts as an open stream of the file's owner. */
  readonly budget: Pick<MemoryBudget, "takeStream">;
  readonly file: FileRecord;
  /** Whether pages of other sites may show a picture. @default false */
  readonly isLinked?: boolean;
}

/**
 * Responds with the bytes of a file, or with the range that the request asks for; to HEAD, with the
 * headers only. Browsers save the response and never run it.
 */
export async function serveContent(
  context: Context<Environment>,
  { store, budget, file, isLinked = false }: ContentOptions,
): Promise<Response> {
  const { bytes: size, sha256 } = file;
  const tag = `"${sha256}"`;
  const ifRange = context.req.header("if-range");
  const wanted = ifRange === undefined || ifRange === tag ? context.req.header("range") : undefined;
  const range = requestedRange(wanted, size);
  const headers = {
    "Content-Type": file.mimeType,
    "Content-Disposition": attachment(file.name),
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy":
      isLinked && picture.test(file.mimeType) ? "cross-origin" : "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
    "Accept-Ranges": "bytes",
    ETag: tag,
  };
  if (range.type === "unsatisfiable") {
    const answer = errorResponse(
      new RequestError({
        status: 416,
        code: "range_not_satisfiable",
        param: "range",
        message: `The file has ${size} bytes, and the range begins after them.`,
      }),
    );
    answer.headers.set("Content-Range", `bytes */${size}`);
    return answer;
  }
  const { from, to } = range.type === "range" ? range : { from: 0, to: size };
  const answer = {
    status: range.type === "range" ? 206 : 200,
    headers: {
      ...headers,
      "Content-Length": String(to - from),
      ...(range.type === "range" && { "Content-Range": `bytes ${from}-${to - 1}/${size}` }),
    },
  };
  // For HEAD, the router drops the body without cancelling it, so the file must not be opened.
  if (context.req.method === "HEAD") return new Response(null, answer);
  const release = budget.takeStream(file.owner);
  try {
    const pieces = await store.streamBlob(sha256, { from, to });
    if (pieces === undefined) throw lostContent(file.id);
    const content = Readable.from(pieces).once("close", release);
    return new Response(Readable.toWeb(content) as ReadableStream<Uint8Array>, answer);
  } catch (thrown) {
    release();
    throw thrown;
  }
}

function lostContent(id: string): RequestError {
  return new RequestError({
    status: 500,
    type: "server_error",
    code: "file_content_missing",
    param: "id",
    message: `The content of the file "${id}" is missing from the store. "capstan db check" lists corrupt data; the server's administrator must restore a backup.`,
  });
}
