import { defineTool, type Tool, type ToolContext, toolError, type ToolError } from "@capstan/core";
import { lstat } from "node:fs/promises";
import { z } from "zod";
import {
  canonicalPath,
  type FileRoots,
  fileRoots,
  type FileToolsOptions,
  pathErrors,
  returnFileErrors,
} from "./file-roots.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { compileGlob } from "./glob.ts";
import { openPath } from "./open-path.ts";
import { type WalkedEntry, walkFiles } from "./walk-files.ts";

/** The maximum number of entries that one call returns, and of further entries that it counts. */
const maxEntries = 1000;
const maxCounted = 100_000;

const parameters = z.object({
  path: z.string().default(".").describe('The folder, relative to the root. Default "."'),
  depth: z.int().min(1).max(20).default(1).describe("How many levels. Default 1."),
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe("Only entries that match, e.g. *.md or src/**/*.ts; raise depth with it."),
  type: z.enum(["file", "folder", "any"]).default("any").describe("Which entries."),
  details: z.boolean().default(false).describe("Show sizes and modification dates."),
  dependencies: z.boolean().default(false).describe("Go into node_modules and .git too."),
});

type Args = z.infer<typeof parameters>;

interface ListedEntry {
  /** The path, with the root's name if there are several roots. */
  readonly path: string;
  readonly type: WalkedEntry["type"];
  readonly size?: number;
  /** ISO 8601. */
  readonly modified?: string;
  readonly note?: string;
}

interface Listing {
  readonly path: string;
  readonly entries: readonly ListedEntry[];
  readonly folders: number;
  readonly files: number;
  /** The number of further entries that `entries` does not show. */
  readonly left: number;
  /** Whether there are more entries, which were not counted. */
  readonly uncounted: boolean;
}

/** `ListFiles`: lists the content of a folder. */
export function listFiles(options: FileToolsOptions): Tool {
  return defineTool({
    name: "ListFiles",
    description:
      "Lists a folder, one level or more, sorted by name, all entries or those that match a pattern; folders end with a slash.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "List two levels of a folder with sizes.",
        args: { path: "src", depth: 2, details: true },
      },
    ],
    errors: {
      ...pathErrors,
      invalid_glob: "The glob is invalid; the message says where.",
      not_a_folder: "The path is a file: use ViewFile.",
    },
    permission: { executionPolicy: "auto", canonicalArguments: canonicalPath(options) },
    compressArgs: ({ path }: { readonly path?: string }) => path ?? ".",
    formatForLLM: format,
    execute: (args, context) => returnFileErrors(() => list(args, context, options)),
  });
}

async function list(
  args: Args,
  { signal, output, denied }: ToolContext,
  options: FileToolsOptions,
): Promise<Listing | ToolError> {
  const glob = args.pattern === undefined ? undefined : compileGlob(args.pattern);
  if (glob?.status === "invalid") return toolError({ code: "invalid_glob", message: glob.message });
  const roots = await fileRoots(options, denied());
  if (roots.roots.length > 1 && /^[./\\]*$/.test(args.path)) return listRoots(roots);
  const entries: ListedEntry[] = [];
  const counts = { file: 0, folder: 0, link: 0, other: 0 };
  let seen = 0;
  await using start = await openPath(roots, args.path);
  for await (const entry of walkFiles(roots, start, { ...args, signal })) {
    if (seen === maxCounted) break;
    const fits = args.type === "any" || (entry.type === "folder") === (args.type === "folder");
    if (!fits || glob?.matches(entry.below) === false) continue;
    seen++;
    counts[entry.type]++;
    if (entries.length < maxEntries) entries.push(await describe(entry, args.details));
    if (seen % 5000 === 0)
      output.progress({ message: `${countOf(seen, "entry", "entries")} so far` });
  }
  return {
    path: start.shown,
    entries,
    folders: counts.folder,
    files: seen - counts.folder,
    left: seen - entries.length,
    uncounted: seen === maxCounted,
  };
}

function listRoots({ roots }: FileRoots): Listing {
  const entries = roots.map(({ name, path }) => ({
    path: name,
    type: "folder" as const,
    note: path,
  }));
  return { path: ".", entries, folders: entries.length, files: 0, left: 0, uncounted: false };
}

async function describe(entry: WalkedEntry, details: boolean): Promise<ListedEntry> {
  const { shown: path, type, skipped } = entry;
  const note =
    type === "link"
      ? "link"
      : skipped === "dependencies"
        ? "not listed; set dependencies"
        : skipped === "unreadable"
          ? "cannot be read"
          : undefined;
  const base = { path, type, ...(note !== undefined && { note }) };
  // `lstat` does not follow links, whose targets can be outside the roots.
  const stats =
    details && type !== "link" ? await lstat(entry.real).catch(() => undefined) : undefined;
  if (stats === undefined) return base;
  const modified = stats.mtime.toISOString();
  return type === "file" ? { ...base, size: stats.size, modified } : { ...base, modified };
}

function format(
  { path, entries, folders, files, left, uncounted }: Listing,
  args: Partial<Args>,
): string {
  const isFiltered = args.pattern !== undefined || (args.type ?? "any") !== "any";
  const total = `${countOf(files, "file")}, ${countOf(folders, "folder")}`;
  const lines = entries.map(({ path, type, size, modified, note }) => {
    const facts = [
      ...(size === undefined ? [] : [formatBytes(size)]),
      ...(modified === undefined ? [] : [`${modified.slice(0, 16).replace("T", " ")}Z`]),
      ...(note === undefined ? [] : [note]),
    ];
    return `${path}${type === "folder" ? "/" : ""}${facts.length > 0 ? `  (${facts.join(", ")})` : ""}`;
  });
  if (entries.length === 0) return isFiltered ? `Nothing in ${path} matches.` : `${path} is empty.`;
  const more =
    left === 0
      ? ""
      : `\n[${uncounted ? "At least " : ""}${left.toLocaleString("en-US")} more are not shown. List a subfolder, or use FindFiles.]`;
  return `${path}: ${uncounted ? "at least " : ""}${total}\n${lines.join("\n")}${more}`;
}
