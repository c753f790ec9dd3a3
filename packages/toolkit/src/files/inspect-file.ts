import { defineTool, type Tool, type ToolContext, toolError, type ToolError } from "@capstan/core";
import { z } from "zod";
import { documentKind } from "../documents/document-kind.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { type FileKind, fileKind, kindSampleBytes } from "./file-kind.ts";
import {
  canonicalPath,
  fileRoots,
  type FileToolsOptions,
  pathErrors,
  returnFileErrors,
} from "./file-roots.ts";
import { archiveEntries, type ArchiveEntries } from "./inspect/archive-entries.ts";
import { imageSize, type ImageSize } from "./inspect/image-size.ts";
import { readFacts } from "./inspect/read-facts.ts";
import { entriesOf, entryAt, type OpenPath, openPath } from "./open-path.ts";
import { readSample } from "./read-text.ts";

/** Larger files have no digest and no number of lines, because reading them takes seconds. */
const largestRead = 512 * 1024 * 1024;
/** In a JPEG, the header with the size can follow an embedded preview. */
const imageSampleBytes = 256 * 1024;
const progressBytes = 16 * 1024 * 1024;

const parameters = z.object({
  path: z.string().describe("A file or a folder, relative to the root."),
});

interface Inspection {
  readonly path: string;
  readonly type: "file" | "folder" | "other";
  readonly size: number;
  /** ISO 8601. */
  readonly modified: string;
  readonly created: string;
  /** As `ls` writes them: `rw-r--r--`. */
  readonly permissions: string;
  /** The kind of a file's content: `text`, `image/png`, `a PDF document`. */
  readonly kind?: string;
  readonly encoding?: string;
  readonly lines?: number;
  readonly lineEnds?: "LF" | "CRLF" | "mixed";
  readonly sha256?: string;
  readonly image?: ImageSize;
  readonly archive?: ArchiveEntries;
  /** The number of visible entries of a folder. */
  readonly items?: number;
}

/** `InspectFile`: returns facts about a file or a folder without its content. */
export function inspectFile(options: FileToolsOptions): Tool {
  return defineTool({
    name: "InspectFile",
    description:
      "Facts about a file without its content: type, size, times, permissions, lines, encoding, SHA-256; the size of pictures, the entries of ZIP and TAR archives, the number of a folder's items.",
    parameters,
    effects: "read",
    examples: [{ title: "Look at a file before you read it.", args: { path: "src/app.ts" } }],
    errors: pathErrors,
    permission: { executionPolicy: "auto", canonicalArguments: canonicalPath(options) },
    compressArgs: ({ path }) => path,
    formatForLLM: format,
    execute: (args, context) => returnFileErrors(() => inspect(args.path, context, options)),
  });
}

async function inspect(
  path: string,
  context: ToolContext,
  options: FileToolsOptions,
): Promise<Inspection | ToolError> {
  const roots = await fileRoots(options, context.denied());
  if (roots.roots.length > 1 && /^[./\\]*$/.test(path))
    return toolError({
      code: "several_roots",
      message: `Name one of the folders: ${roots.roots.map(({ name }) => name).join(", ")}.`,
    });
  await using opened = await openPath(roots, path);
  const { stats, shown } = opened;
  const facts = {
    path: shown,
    size: stats.size,
    modified: stats.mtime.toISOString(),
    created: stats.birthtime.toISOString(),
    permissions: permissionText(stats.mode),
  };
  if (stats.isDirectory()) {
    const visible = (await entriesOf(opened)).filter(
      ({ name }) => !roots.isHidden(name) && !roots.isDenied(entryAt(opened, name)),
    );
    return { ...facts, type: "folder", items: visible.length };
  }
  if (!stats.isFile()) return { ...facts, type: "other" };
  return { ...facts, type: "file", ...(await contentFacts(opened, context)) };
}

async function contentFacts(
  { handle, shown, stats: { size } }: OpenPath,
  { signal, output }: ToolContext,
): Promise<Partial<Inspection>> {
  const sample = await readSample(handle, Math.min(size, imageSampleBytes));
  const kind = fileKind(sample.subarray(0, kindSampleBytes));
  const image = kind.type === "image" ? imageSize(sample) : undefined;
  const archive = kind.type === "image" ? undefined : await archiveEntries(handle, size, signal);
  const read =
    size > largestRead
      ? undefined
      : await readFacts(handle, {
          signal,
          onBytes: (done) => {
            if (done % progressBytes === 0)
              output.progress({ message: `Reading ${shown}`, done, total: size });
          },
        });
  const isText = kind.type === "text" && archive === undefined;
  return {
    kind: kindText(kind, shown, archive),
    ...(isText && { encoding: kind.encoding }),
    // In UTF-16 a line end has two bytes, of which one can be part of another character.
    ...(isText && kind.encoding === "utf-8" && read !== undefined && lineFacts(read)),
    ...(read !== undefined && { sha256: read.sha256 }),
    ...(image !== undefined && { image }),
    ...(archive !== undefined && { archive }),
  };
}

function lineFacts({
  lineEnds: { lf, crlf },
  hasOpenLine,
}: Awaited<ReturnType<typeof readFacts>>): Partial<Inspection> {
  const lines = lf + crlf + (hasOpenLine ? 1 : 0);
  if (lf + crlf === 0) return { lines };
  return { lines, lineEnds: lf === 0 ? "CRLF" : crlf === 0 ? "LF" : "mixed" };
}

function kindText(kind: FileKind, name: string, archive: ArchiveEntries | undefined): string {
  if (kind.type === "image") return kind.mimeType;
  const document = documentKind({ name, mimeType: "" });
  if (kind.type === "binary" && document !== undefined) return `${document.toUpperCase()} document`;
  if (kind.type === "binary" && kind.name !== "binary data") return kind.name;
  if (archive !== undefined) return "a TAR archive";
  return kind.type === "binary" ? kind.name : "text";
}

function permissionText(mode: number): string {
  const flags = "rwxrwxrwx".split("");
  return flags.map((flag, index) => ((mode >> (8 - index)) & 1 ? flag : "-")).join("");
}

function format(facts: Inspection): string {
  const { path, type, size, modified, created, permissions, items, archive, image } = facts;
  const lines = [
    `${path}: ${type === "file" ? (facts.kind ?? "file") : type}`,
    type === "folder"
      ? countOf(items ?? 0, "item")
      : `${formatBytes(size)} (${size.toLocaleString("en-US")} bytes)`,
    `modified ${modified}, created ${created}, permissions ${permissions}`,
    ...(image === undefined ? [] : [`${image.width} × ${image.height} pixels`]),
    ...(facts.encoding === undefined ? [] : [textFacts(facts)]),
    ...(facts.sha256 === undefined ? [] : [`sha256 ${facts.sha256}`]),
    ...(archive === undefined ? [] : archiveLines(archive)),
  ];
  return lines.join("\n");
}

function textFacts({ encoding, lines, lineEnds }: Inspection): string {
  const ends = lineEnds === undefined ? "" : `, line ends ${lineEnds}`;
  return `${encoding}${lines === undefined ? "" : `, ${countOf(lines, "line")}`}${ends}`;
}

function archiveLines({ entries, total }: ArchiveEntries): readonly string[] {
  const more = total - entries.length;
  return [
    `${countOf(total, "entry", "entries")}:`,
    ...entries.map(({ name, size }) => `- ${name.replaceAll(/\s+/g, " ")} (${formatBytes(size)})`),
    ...(more > 0 ? [`[${countOf(more, "more entry", "more entries")} not shown.]`] : []),
  ];
}
