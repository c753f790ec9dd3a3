import type { ToolContext } from "@capstan/core";
import { fakeContext } from "@capstan/core/testing";
import type { ReceivedRequest } from "../../service/testing/fake-service.ts";

/** A PNG of one pixel, as Base64. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The beginning of a JPEG, as Base64. */
export const jpeg = Buffer.from("\xFF\xD8\xFF\xE0\0\x10JFIF\0", "latin1").toString("base64");

/** The beginning of an MP3. */
export const mp3 = Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1");

/** Returns a context that records its events. */
export function recordingContext(
  more: Partial<ToolContext> = {},
): ToolContext & { readonly events: [string, unknown][]; readonly written: string[] } {
  const events: [string, unknown][] = [];
  const written: string[] = [];
  const output: ToolContext["output"] = {
    write: (text) => written.push(text),
    progress: () => {},
    event: (name, data) => events.push([name, data]),
  };
  return { ...fakeContext(), output, ...more, events, written };
}

/** Parses the form of a request. */
export function formOf({ headers, body }: ReceivedRequest): Promise<FormData> {
  const type = headers["content-type"] ?? "";
  return new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
}

/** Returns a file of a conversation. */
export function givenFile(
  id: string,
  name: string,
  bytes: Uint8Array,
): ToolContext["files"][number] {
  return {
    id,
    name,
    mimeType: "application/octet-stream",
    size: bytes.length,
    read: () => bytes,
    async *stream() {
      yield await Promise.resolve(bytes);
    },
  };
}
