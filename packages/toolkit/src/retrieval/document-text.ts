import { convertDocument, isConvertible } from "../documents/convert-document.ts";
import { fileKind } from "../files/file-kind.ts";
import { formatBytes } from "../text/format-bytes.ts";

/** The text of a document, or the reason why there is none. */
export type DocumentText =
  | { readonly status: "read"; readonly text: string }
  | {
      readonly status: "failed";
      /** `unsupported`: the type of file has no text. `invalid`: this file cannot be read. */
      readonly cause: "unsupported" | "invalid" | "transient";
      readonly reason: string;
    };

/** The maximum size of a text file. */
export const maxTextBytes = 32 * 1024 * 1024;

/**
 * Returns the text of a document: Markdown for PDF, DOCX, XLSX, PPTX, EPUB and HTML, and the text
 * of text files in any Unicode encoding. Detects the type of text files from their bytes, not from
 * their names.
 *
 * @throws the signal's reason when it aborts
 */
export async function documentText(input: {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /**
   * The owner of the job. The queue alternates between users. @default one user for all such
   * documents
   */
  readonly user?: string;
  readonly signal: AbortSignal;
}): Promise<DocumentText> {
  const { bytes, signal } = input;
  signal.throwIfAborted();
  if (bytes.length === 0) return failed("invalid", "it is empty");
  if (isConvertible(input)) {
    const converted = await convertDocument(input);
    return converted.status === "converted"
      ? { status: "read", text: converted.markdown }
      : failed(converted.isTransient === true ? "transient" : "invalid", converted.reason);
  }
  if (bytes.length > maxTextBytes)
    return failed(
      "invalid",
      `it has ${formatBytes(bytes.length)}, and text files can have at most ${formatBytes(maxTextBytes)}; divide it`,
    );
  const kind = fileKind(bytes.subarray(0, 8_192));
  if (kind.type !== "text")
    return failed(
      "unsupported",
      `it is ${kind.type === "image" ? "an image" : kind.name}, which has no text`,
    );
  const text = new TextDecoder(kind.encoding).decode(bytes).toWellFormed();
  // A stray NUL does not make a text binary. Remove it, because some databases reject it.
  const clean = text.replaceAll("\0", " ");
  if (clean.trim() === "") return failed("invalid", "it contains no text");
  return { status: "read", text: clean };
}

function failed(
  cause: Extract<DocumentText, { status: "failed" }>["cause"],
  reason: string,
): DocumentText {
  return { status: "failed", cause, reason };
}
