import type { ContentPart, JsonObject } from "@capstan/core";
import type { RunRecord, Store } from "@capstan/store";
import type { CallToolResult, ContentBlock } from "../../libraries/mcp-server.ts";
import { fileUri, resultUri } from "../protocol/resource-uri.ts";
import type { CallState } from "./follow-call.ts";

type Settled = Extract<CallState, { status: "settled" }>["call"];

/** The maximum size of the images in a result, in bytes. Larger ones become links. */
const imageBytes = 1_048_576;

/** The maximum characters of a value that a result has as structured data. */
const structuredChars = 10_000;

/** Returns a text as the result of a call that has no other result. */
export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

/**
 * Returns the result of a call that has ended in the form of MCP: the text that a model reads, with
 * its images and files. A truncated result has a link to the full value.
 *
 * @param options.structured whether the tool declares the form of its value
 */
export async function callResult(
  { store, run }: { readonly store: Store; readonly run: RunRecord },
  { result, status }: Settled,
  { structured }: { readonly structured: boolean },
): Promise<CallToolResult> {
  const { finalText, parts = [], isTruncated, cacheVarResult } = result;
  const content: ContentBlock[] = [{ type: "text", text: finalText }];
  let room = imageBytes;
  for (const part of parts) {
    const shown = await contentBlock(store, part, room);
    if (shown === undefined) continue;
    if (shown.type === "image") room -= shown.data.length * 0.75;
    content.push(shown);
  }
  if (isTruncated && cacheVarResult !== undefined)
    content.push({
      type: "resource_link",
      uri: resultUri(run.id),
      name: cacheVarResult,
      title: "The full result",
      mimeType: "text/plain",
    });
  const isError = status !== "success";
  const value =
    structured && !isError && !isTruncated && cacheVarResult !== undefined
      ? await structuredValue(store, run, cacheVarResult)
      : undefined;
  return {
    content,
    ...(value !== undefined && { structuredContent: value }),
    ...(isError && { isError }),
  };
}

/** Structured results are objects: clients of older protocol versions reject any other value. */
async function structuredValue(
  store: Store,
  { owner, id: runId }: RunRecord,
  name: string,
): Promise<{ readonly [key: string]: unknown } | undefined> {
  const entry = (await store.readManifest({ owner, runId }))?.[name];
  if (entry === undefined || entry.length > structuredChars) return undefined;
  const value = entry.value ?? (await store.readValue({ owner, digest: entry.digest ?? "" }));
  const data = value?.data;
  if (data === undefined || data === null || typeof data === "string") return undefined;
  const isObject = typeof data === "object" && !Array.isArray(data);
  return isObject ? (data as JsonObject) : { result: data };
}

async function contentBlock(
  store: Store,
  part: ContentPart,
  room: number,
): Promise<ContentBlock | undefined> {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "link") {
    const { url: uri, title, mimeType } = part;
    return { type: "resource_link", uri, name: title ?? uri, ...(mimeType && { mimeType }) };
  }
  const { source, mimeType, fileId } = part;
  if (part.type === "image" && source.type !== "url") {
    const data =
      source.type === "base64"
        ? source.data
        : source.size > room
          ? undefined
          : Buffer.from((await store.readBlob(source.sha256)) ?? []).toString("base64");
    if (data !== undefined && data !== "" && data.length * 0.75 <= room)
      return { type: "image", data, mimeType };
  }
  const name = part.name ?? fileId ?? part.type;
  if (fileId !== undefined) return { type: "resource_link", uri: fileUri(fileId), name, mimeType };
  return source.type === "url"
    ? { type: "resource_link", uri: source.url, name, mimeType }
    : { type: "text", text: `[${part.type} "${name}", which is too large to show]` };
}
