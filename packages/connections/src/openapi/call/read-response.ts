import { basename } from "node:path";
import { type ContentPart, contentParts, type ToolContext } from "@capstan/core";
import { measureJson } from "@capstan/core/base";
import { messageLimits } from "../../transport/message-limits.ts";

/** A response whose body was read. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly url: URL;
  /** Whether a redirect left the service's origin, so that another origin chose the response. */
  readonly hasLeft: boolean;
}

/** The result of a response: JSON or text as data, and other types as a file. */
export type ResponseValue =
  | { readonly type: "data"; readonly data: unknown }
  | { readonly type: "parts"; readonly parts: ReturnType<typeof contentParts> };

/** Milliseconds between two reports of progress. */
const progressMs = 200;

/** Reads a body, and reports its size while it is read. */
export async function readBytes(
  response: Response,
  {
    output,
    onActivity,
  }: { readonly output: ToolContext["output"]; readonly onActivity: () => void },
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const total = Number(response.headers.get("content-length") ?? Number.NaN);
  let size = 0;
  let reportedAt = performance.now();
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    onActivity();
    if (performance.now() - reportedAt < progressMs) continue;
    reportedAt = performance.now();
    output.progress({
      message: "Receiving",
      done: size,
      ...(Number.isFinite(total) && total >= size && { total }),
    });
  }
  return Buffer.concat(chunks);
}

/** Turns a successful response into a value. Links in it are not followed. */
export function readValue({ status, headers, bytes, url }: ReadResponse): ResponseValue {
  const given = headers.get("content-type") ?? "";
  const type = given.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (bytes.length === 0) return { type: "data", data: { status, ...shownHeaders(headers) } };
  const isJson = /^application\/(?:[\w.-]+\+)?json$|^text\/json$/.test(type);
  const isText = type.startsWith("text/") || textTypes.test(type);
  if (isJson || isText || type === "") {
    const text = decode(bytes, given);
    if (isText && !isJson) return { type: "data", data: text };
    const parsed = jsonOf(text);
    if (parsed !== undefined) return { type: "data", data: parsed };
    if (isJson || isUtf8(bytes)) return { type: "data", data: text };
  }
  const source = { type: "base64", data: bytes.toString("base64") } as const;
  const mimeType = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : "application/octet-stream";
  const part: ContentPart = /^image\/(?:png|jpeg|gif|webp)$/.test(type)
    ? { type: "image", mimeType, source }
    : { type: "file", name: fileName(headers, url), mimeType, source };
  return { type: "parts", parts: contentParts([part]) };
}

/** The headers that describe a response without a body. */
const describingHeaders = ["location", "content-type", "content-length", "etag", "last-modified"];

function shownHeaders(headers: Headers): { readonly [name: string]: string } {
  return Object.fromEntries(
    describingHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null || (name === "content-length" && value === "0") ? [] : [[name, value]];
    }),
  );
}

const textTypes =
  /^application\/(?:xml|javascript|x-ndjson|x-yaml|yaml|graphql|x-www-form-urlencoded|[\w.-]+\+xml)$/;

/** Returns parsed JSON; undefined if it is invalid, or has too many values for the event loop. */
function jsonOf(text: string): unknown {
  // Measures the decoded text: in another encoding, bytes could hide the values.
  if (measureJson(Buffer.from(text), messageLimits).status !== "measured") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the name from `Content-Disposition`, or else from the address. */
function fileName(headers: Headers, url: URL): string {
  const disposition = headers.get("content-disposition") ?? "";
  const named = /filename="?([^";]{1,200})/i.exec(disposition)?.[1];
  const last = named ?? basename(url.pathname);
  return last.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_").slice(-100) || "response";
}
