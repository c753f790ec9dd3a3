import { fileKind, kindSampleBytes } from "../../files/file-kind.ts";
import { FileError } from "../../files/file-error.ts";
import { formatBytes } from "../../text/format-bytes.ts";

/** The text of a file, and its encoding, so that it can be written back. */
export interface TextContent {
  /** Without a byte order mark. */
  readonly text: string;
  readonly encoding: "utf-8" | "utf-16le";
  readonly hasMark: boolean;
}

/** The largest file that is edited, in bytes. */
export const largestEdit = 32 * 1024 * 1024;

/**
 * Decodes the file to edit. Invalid bytes are an error, because the edited file would lose them.
 *
 * @throws FileError `binary_file` or `unknown_encoding`
 */
export function decodeText(bytes: Uint8Array, shown: string): TextContent {
  const kind = fileKind(bytes.subarray(0, kindSampleBytes));
  if (kind.type !== "text") {
    const what = kind.type === "image" ? kind.mimeType : kind.name;
    throw new FileError(
      "binary_file",
      `"${shown}" is ${what} of ${formatBytes(bytes.length)}, not text, and cannot be edited as text.`,
    );
  }
  const { encoding } = kind;
  const unsupported = new FileError(
    "unknown_encoding",
    `"${shown}" is not UTF-8 or UTF-16LE text, so an edit would damage it. WriteFile replaces it as UTF-8.`,
  );
  if (encoding === "utf-16be") throw unsupported;
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    const hasMark = text.startsWith("\uFEFF");
    return { text: hasMark ? text.slice(1) : text, encoding, hasMark };
  } catch {
    throw unsupported;
  }
}

/** Encodes a text in the original encoding of its file. */
export function encodeText({ text, encoding, hasMark }: TextContent): Uint8Array {
  return Buffer.from(
    `${hasMark ? "\uFEFF" : ""}${text}`,
    encoding === "utf-8" ? "utf8" : "utf16le",
  );
}
