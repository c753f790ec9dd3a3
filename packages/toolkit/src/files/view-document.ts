import { type ToolContext, toolError, type ToolError } from "@capstan/core";
import { convertDocument } from "../documents/convert-document.ts";
import { documentKind } from "../documents/document-kind.ts";
import { formatBytes } from "../text/format-bytes.ts";
import type { FileKind } from "./file-kind.ts";
import type { OpenPath } from "./open-path.ts";

const largestDocument = 50 * 1024 * 1024;

/**
 * Returns the MIME type with which a file is converted to Markdown, or `undefined` if it is shown
 * unchanged. HTML is text, so it is converted only if the call asks for Markdown.
 */
export function documentType(
  kind: FileKind,
  name: string,
  asksMarkdown: boolean,
): string | undefined {
  if (kind.type === "binary" && kind.name === "a PDF document") return "application/pdf";
  const document = documentKind({ name, mimeType: "" });
  if (kind.type === "text") return document === "html" && asksMarkdown ? "text/html" : undefined;
  return kind.type === "binary" && document !== undefined && document !== "html" ? "" : undefined;
}

/** Returns a document as Markdown. Converts it in a process with limits. */
export async function readDocument(
  { handle, shown, stats: { size } }: OpenPath,
  mimeType: string,
  { principal, signal, output }: ToolContext,
): Promise<string | ToolError> {
  if (size > largestDocument)
    return toolError({
      code: "document_too_large",
      message: `"${shown}" is a document of ${formatBytes(size)}; the limit is ${formatBytes(largestDocument)}.`,
    });
  output.progress({ message: `Converting ${shown} to Markdown` });
  const bytes = Buffer.alloc(size);
  for (let position = 0; position < size;) {
    const { bytesRead } = await handle.read(bytes, position, size - position, position);
    if (bytesRead === 0) break;
    position += bytesRead;
  }
  const converted = await convertDocument({
    name: shown,
    mimeType,
    bytes,
    user: principal.id,
    signal,
  });
  if (converted.status === "converted") return converted.markdown;
  return toolError({
    code: "unreadable_document",
    message: `"${shown}" cannot be converted to Markdown, because ${converted.reason}.`,
    ...(converted.isTransient === true && { retryable: true }),
  });
}
