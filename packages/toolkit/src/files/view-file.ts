import {
  type ContentParts,
  contentParts,
  defineTool,
  isToolError,
  type Tool,
  type ToolContext,
  toolError,
  type ToolError,
} from "@capstan/core";
import { z } from "zod";
import {
  canonicalPath,
  fileRoots,
  type FileToolsOptions,
  pathErrors,
  returnFileErrors,
} from "./file-roots.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { fileKind, kindSampleBytes } from "./file-kind.ts";
import { type OpenPath, openPath } from "./open-path.ts";
import { readSample, readText } from "./read-text.ts";
import { takeTail } from "./take-tail.ts";
import { documentType, readDocument } from "./view-document.ts";
import { takeLines } from "./take-lines.ts";

/** The maximum text that one call returns, in characters. */
const longestView = 4 * 1024 * 1024;
/** Files up to this size are read to the end to count their lines. */
const countedBytes = 64 * 1024 * 1024;
const largestImage = 5 * 1024 * 1024;

const parameters = z.object({
  path: z.string().describe("The file, relative to the root."),
  head: z.int().min(1).optional().describe("Only the first lines: how many."),
  tail: z.int().min(1).optional().describe("Only the last lines: how many."),
  startLine: z.int().min(1).optional().describe("First line, from 1. Default: 1."),
  endLine: z.int().min(1).optional().describe("Last line, inclusive. Default: the last."),
  markdown: z
    .boolean()
    .default(false)
    .describe("Show HTML as Markdown, like other documents. Default: its source."),
  lineNumbers: z.boolean().default(false).describe("Put the line number before each line."),
  encoding: z
    .string()
    .optional()
    .describe("e.g. windows-1252, shift_jis. Default: the byte order mark's encoding, else UTF-8."),
});

type Args = z.infer<typeof parameters>;

interface FileView {
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines?: number;
  /** A note that the text is incomplete or has invalid bytes. */
  readonly note?: string;
}

/** The end of a file whose lines are not counted. */
type TailView = Pick<FileView, "path" | "text" | "bytes" | "note">;

/** `ViewFile`: returns the text of a file, or a small image. */
export function viewFile(options: FileToolsOptions): Tool {
  return defineTool({
    name: "ViewFile",
    description:
      "Reads a text file, whole or some of its lines; converts documents (PDF, DOCX, XLSX, PPTX, EPUB) to Markdown; shows images (PNG, JPEG, GIF, WebP). Other binary files are rejected with their type.",
    parameters,
    effects: "read",
    examples: [
      { title: "Show the last lines of a log.", args: { path: "logs/app.log", tail: 20 } },
      {
        title: "Show the first lines with their numbers.",
        args: { path: "src/app.ts", endLine: 20, lineNumbers: true },
      },
    ],
    errors: {
      ...pathErrors,
      document_too_large: "The document has more than 50 MB.",
      unreadable_document: "The document is corrupt, encrypted or too large to convert.",
      too_large: "For files over 64 MB, tail supports neither lineNumbers nor UTF-16.",
      binary_file: "The file is neither text nor a picture.",
      image_too_large: "The picture has more than 5 MB.",
      invalid_range: "The lines are not in the file.",
      is_a_folder: "The path is a folder: use ListFiles.",
      unknown_encoding: "The encoding is unknown.",
    },
    permission: { executionPolicy: "auto", canonicalArguments: canonicalPath(options) },
    compressArgs: ({ path, head, tail, startLine, endLine }) => {
      if (head !== undefined) return `${path}, first ${countOf(head, "line")}`;
      if (tail !== undefined) return `${path}, last ${countOf(tail, "line")}`;
      return startLine === undefined && endLine === undefined
        ? path
        : `${path}:${startLine ?? 1}-${endLine ?? ""}`;
    },
    formatForLLM: ({ text, note }: TailView) =>
      note === undefined
        ? text
        : `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${note}]`,
    execute: (args, context) => returnFileErrors(() => view(args, context, options)),
  });
}

async function view(
  args: Args,
  context: ToolContext,
  options: FileToolsOptions,
): Promise<FileView | TailView | ContentParts | ToolError> {
  const { signal, output, denied } = context;
  const { tail, startLine = 1, endLine = args.head } = args;
  const ranges = [args.head, tail, args.startLine ?? args.endLine];
  if (ranges.filter((range) => range !== undefined).length > 1)
    return failure("invalid_range", "Give one of head, tail, or startLine with endLine.");
  if (endLine !== undefined && endLine < startLine) {
    return failure("invalid_range", `endLine ${endLine} is before startLine ${startLine}.`);
  }
  if (args.encoding !== undefined && !isEncoding(args.encoding)) {
    return failure(
      "unknown_encoding",
      `"${args.encoding}" is not a known encoding. Examples: utf-8, utf-16le, windows-1252, shift_jis, gb18030.`,
    );
  }
  await using file = await openPath(await fileRoots(options, denied()), args.path);
  if (file.stats.isDirectory()) {
    return failure(
      "is_a_folder",
      `"${file.shown}" is a folder. Use ListFiles to list its content.`,
    );
  }
  if (!file.stats.isFile()) {
    return failure(
      "not_a_file",
      `"${file.shown}" is not a regular file but a device, pipe or socket.`,
    );
  }
  const { size } = file.stats;
  const kind = fileKind(await readSample(file.handle, kindSampleBytes));
  if (kind.type === "image") return await image(file, kind.mimeType);
  const mimeType = documentType(kind, file.shown, args.markdown);
  if (mimeType !== undefined && args.encoding === undefined) {
    const markdown = await readDocument(file, mimeType, context);
    return isToolError(markdown) ? markdown : await viewLines(args, file, () => pieces(markdown));
  }
  if (kind.type === "binary" && args.encoding === undefined) {
    return failure(
      "binary_file",
      `"${file.shown}" is ${kind.name} of ${formatBytes(size)}, not text. If it is text in another encoding, name it in "encoding".`,
    );
  }
  const encoding = args.encoding ?? (kind.type === "text" ? kind.encoding : "utf-8");
  if (tail !== undefined && size > countedBytes)
    return await viewTail({ file, tail, encoding, signal, lineNumbers: args.lineNumbers });
  return await viewLines(
    args,
    file,
    () =>
      withProgress(readText(file.handle, encoding, signal), (bytesRead) =>
        output.progress({ message: `Reading ${file.shown}`, done: bytesRead, total: size }),
      ),
    encoding,
  );
}

/** Yields a text that is in memory as one chunk. */
async function* pieces(text: string): AsyncGenerator<{ readonly text: string }> {
  yield { text };
}

/** Returns the requested lines of a text. */
async function viewLines(
  args: Args,
  file: OpenPath,
  read: () => AsyncIterable<{ readonly text: string }>,
  encoding = "utf-8",
): Promise<FileView | ToolError> {
  const { size } = file.stats;
  const { startLine, endLine } = await rangeOf(args, read);
  const taken = await takeLines(read(), {
    startLine,
    ...(endLine !== undefined && { endLine }),
    maxLength: longestView,
    countAfter: size <= countedBytes,
  });
  const damaged = taken.text.split("\uFFFD").length - 1;
  const { totalLines } = taken;
  if (totalLines !== undefined && startLine > Math.max(totalLines, 1)) {
    return failure(
      "invalid_range",
      `"${file.shown}" has ${countOf(totalLines, "line")}; startLine is ${startLine}.`,
    );
  }
  const notes = [rangeNote(taken, size), damageNote(damaged, encoding)].filter(
    (note) => note !== undefined,
  );
  return {
    path: file.shown,
    text: args.lineNumbers ? numberLines(taken.text, taken.startLine) : taken.text,
    bytes: size,
    startLine: taken.startLine,
    endLine: taken.endLine,
    ...(totalLines !== undefined && { totalLines }),
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

/** Returns the first and the last line to show. The last lines of a text are counted first. */
async function rangeOf(
  { head, tail, startLine = 1, endLine = head }: Args,
  read: () => AsyncIterable<{ readonly text: string }>,
): Promise<{ readonly startLine: number; readonly endLine?: number | undefined }> {
  if (tail === undefined) return { startLine, endLine };
  const all = { startLine: Number.MAX_SAFE_INTEGER, maxLength: 1, countAfter: true };
  const { totalLines = 0 } = await takeLines(read(), all);
  return { startLine: Math.max(1, totalLines - tail + 1) };
}

/** Returns the last lines of a file that is too large for counting its lines. */
async function viewTail({
  file,
  tail,
  encoding,
  signal,
  lineNumbers,
}: {
  readonly file: OpenPath;
  readonly tail: number;
  readonly encoding: string;
  readonly signal: AbortSignal;
  readonly lineNumbers: boolean;
}): Promise<TailView | ToolError> {
  const { size } = file.stats;
  if (lineNumbers || /^utf-?16/i.test(encoding))
    return failure(
      "too_large",
      `"${file.shown}" has ${formatBytes(size)}: for files this large, tail supports neither lineNumbers nor UTF-16.`,
    );
  const options = { size, lines: tail, encoding, maxBytes: longestView, signal };
  const { text, cut } = await takeTail(file.handle, options);
  const note = cut
    ? `The end of a file of ${formatBytes(size)}; the beginning of these lines is left out.`
    : `The last ${countOf(tail, "line")} of a file of ${formatBytes(size)}.`;
  return { path: file.shown, text, bytes: size, note };
}

function rangeNote(
  { startLine, endLine, totalLines, cut }: Awaited<ReturnType<typeof takeLines>>,
  size: number,
): string | undefined {
  if (cut === "in_line") {
    return `Line ${endLine} is longer than ${longestView.toLocaleString("en-US")} characters and was truncated. Use SearchFiles to search the rest.`;
  }
  const isWhole = startLine === 1 && endLine === totalLines;
  if (isWhole) return undefined;
  if (totalLines === 0) return "The file is empty.";
  const of =
    totalLines === undefined ? `a file of ${formatBytes(size)}` : countOf(totalLines, "line");
  const more =
    totalLines === undefined || endLine < totalLines
      ? ` Read on with startLine ${endLine + 1}.`
      : "";
  return `Lines ${startLine} to ${endLine} of ${of}.${more}`;
}

function damageNote(count: number, encoding: string): string | undefined {
  if (count === 0) return undefined;
  return `${countOf(count, "place")} cannot be read as ${encoding} and ${count === 1 ? "is" : "are"} shown as \uFFFD; another "encoding" may fit, e.g. windows-1252.`;
}

function numberLines(text: string, first: number): string {
  const lines = text.split("\n");
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const width = String(first + last - 1).length;
  return lines
    .map((line, i) => (i < last ? `${String(first + i).padStart(width)}\t${line}` : line))
    .join("\n");
}

async function image(
  { handle, shown, stats }: OpenPath,
  mimeType: string,
): Promise<ContentParts | ToolError> {
  if (stats.size > largestImage) {
    return failure(
      "image_too_large",
      `"${shown}" is an image (${mimeType}) of ${formatBytes(stats.size)}; the limit for images is ${formatBytes(largestImage)}.`,
    );
  }
  const data = await readSample(handle, stats.size);
  return contentParts([
    { type: "text", text: `${shown}: ${mimeType}, ${formatBytes(stats.size)}` },
    {
      type: "image",
      mimeType,
      source: { type: "base64", data: Buffer.from(data).toString("base64") },
    },
  ]);
}

async function* withProgress<T extends { readonly bytesRead: number }>(
  pieces: AsyncIterable<T>,
  report: (bytesRead: number) => void,
): AsyncGenerator<T> {
  const every = 16 * 1024 * 1024;
  let next = every;
  for await (const piece of pieces) {
    if (piece.bytesRead >= next) {
      report(piece.bytesRead);
      next += every;
    }
    yield piece;
  }
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

function failure(code: string, message: string): ToolError {
  return toolError({ code, message });
}
