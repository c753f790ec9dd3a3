import {
  type ContentParts,
  contentParts,
  defineTool,
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
import { takeLines } from "./take-lines.ts";

/** The maximum text that one call returns, in characters. */
const longestView = 4 * 1024 * 1024;
/** Files up to this size are read to the end to count their lines. */
const countedBytes = 64 * 1024 * 1024;
const largestImage = 5 * 1024 * 1024;

const parameters = z.object({
  path: z.string().describe("The file, relative to the root."),
  startLine: z.int().min(1).optional().describe("First line, from 1. Default: 1."),
  endLine: z.int().min(1).optional().describe("Last line, inclusive. Default: the last."),
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

/** `ViewFile`: returns the text of a file, or a small image. */
export function viewFile(options: FileToolsOptions): Tool {
  return defineTool({
    name: "ViewFile",
    description:
      "Reads a text file, whole or a range of lines; shows images (PNG, JPEG, GIF, WebP). Other binary files are rejected with their type.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Show the first lines with their numbers.",
        args: { path: "src/app.ts", endLine: 20, lineNumbers: true },
      },
    ],
    errors: {
      ...pathErrors,
      binary_file: "The file is neither text nor a picture.",
      image_too_large: "The picture has more than 5 MB.",
      invalid_range: "The lines are not in the file.",
      is_a_folder: "The path is a folder: use ListFiles.",
      unknown_encoding: "The encoding is not known.",
    },
    permission: { executionPolicy: "auto", canonicalArguments: canonicalPath(options) },
    compressArgs: ({ path, startLine, endLine }) =>
      startLine === undefined && endLine === undefined
        ? path
        : `${path}:${startLine ?? 1}-${endLine ?? ""}`,
    formatForLLM: ({ text, note }: FileView) =>
      note === undefined
        ? text
        : `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${note}]`,
    execute: (args, context) => returnFileErrors(() => view(args, context, options)),
  });
}

async function view(
  args: Args,
  { signal, output, denied }: ToolContext,
  options: FileToolsOptions,
): Promise<FileView | ContentParts | ToolError> {
  const { startLine = 1, endLine } = args;
  if (endLine !== undefined && endLine < startLine) {
    return failure("invalid_range", `endLine ${endLine} is before startLine ${startLine}.`);
  }
  if (args.encoding !== undefined && !isEncoding(args.encoding)) {
    return failure(
      "unknown_encoding",
      `"${args.encoding}" is not an encoding. Known are e.g. utf-8, utf-16le, windows-1252, shift_jis, gb18030.`,
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
  if (kind.type === "binary" && args.encoding === undefined) {
    return failure(
      "binary_file",
      `"${file.shown}" is ${kind.name} of ${formatBytes(size)}, not text. If it is text in another encoding, name it in "encoding".`,
    );
  }
  const encoding = args.encoding ?? (kind.type === "text" ? kind.encoding : "utf-8");
  const taken = await takeLines(
    withProgress(readText(file.handle, encoding, signal), (bytesRead) =>
      output.progress({ message: `Reading ${file.shown}`, done: bytesRead, total: size }),
    ),
    {
      startLine,
      ...(endLine !== undefined && { endLine }),
      maxLength: longestView,
      countAfter: size <= countedBytes,
    },
  );
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
