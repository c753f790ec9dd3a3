import { setImmediate } from "node:timers/promises";
import { defineTool, type Tool, type ToolContext, toolError, type ToolError } from "@capstan/core";
import { z } from "zod";
import {
  type AllowedPath,
  canonicalPath,
  FileError,
  type FileRoots,
  fileRoots,
  type FileToolsOptions,
  pathErrors,
  returnFileErrors,
  startFolders,
  systemCode,
} from "./file-roots.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { compileGlob } from "./glob.ts";
import { lineMatcher } from "./match-line.ts";
import { openAllowed, openPath } from "./open-path.ts";
import {
  type FileSearch,
  type FileSearchOptions,
  type FoundLine,
  largestSearched,
  searchFile,
} from "./search-file.ts";
import { walkFiles } from "./walk-files.ts";

const parameters = z.object({
  query: z
    .string()
    .min(1)
    .max(2000)
    .describe("The text to find in a line, or an RE2 pattern if regex is set."),
  path: z.string().default(".").describe('The folder or file to search. Default "."'),
  glob: z.string().max(500).optional().describe("Only files that match, e.g. *.md or src/**/*.ts."),
  regex: z.boolean().default(false).describe("query is an RE2 pattern, matched against each line."),
  ignoreCase: z.boolean().default(false).describe("Ignore case."),
  contextLines: z.int().min(0).max(10).default(0).describe("Lines to show around each match."),
  max: z.int().min(1).max(2000).default(100).describe("Matching lines to return. Default 100."),
  dependencies: z.boolean().default(false).describe("Search node_modules and .git, too."),
});

type Args = z.infer<typeof parameters>;

interface SearchResult {
  readonly files: readonly { readonly path: string; readonly lines: readonly FoundLine[] }[];
  /**
   * The number of shown matching lines, and of all matching lines. `complete` is true if all files
   * were searched.
   */
  readonly shown: number;
  readonly total: number;
  readonly complete: boolean;
  readonly searched: number;
  readonly skipped: {
    readonly binary: number;
    readonly large: number;
    readonly unreadable: number;
    readonly longLines: number;
  };
}

/** `SearchFiles`: finds lines that contain a text or match a pattern. */
export function searchFiles(options: FileToolsOptions): Tool {
  return defineTool({
    name: "SearchFiles",
    description:
      "Finds the lines in text files that contain a text, literally unless regex is set. Returns path, line number and line.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Find a text in TypeScript files, with two lines around it.",
        args: { query: "return 1", glob: "*.ts", contextLines: 2 },
      },
    ],
    errors: { ...pathErrors, invalid_glob: "The glob is invalid; the message says where." },
    permission: { executionPolicy: "auto", canonicalArguments: canonicalPath(options) },
    compressArgs: ({ query, glob }) => (glob === undefined ? query : `${query} in ${glob}`),
    formatForLLM: format,
    execute: (args, context) => returnFileErrors(() => search(args, context, options)),
  });
}

async function search(
  args: Args,
  { signal, output, denied }: ToolContext,
  options: FileToolsOptions,
): Promise<SearchResult | ToolError> {
  const matcher = lineMatcher(args);
  if (matcher.status === "invalid")
    return toolError({ code: "invalid_pattern", message: matcher.message });
  const glob = args.glob === undefined ? undefined : compileGlob(args.glob);
  if (glob?.status === "invalid") return toolError({ code: "invalid_glob", message: glob.message });
  const roots = await fileRoots(options, denied());
  const files: { path: string; lines: readonly FoundLine[] }[] = [];
  const skipped = { binary: 0, large: 0, unreadable: 0, longLines: 0 };
  let [shown, total, searched] = [0, 0, 0];
  let complete = true;
  let lastBreath = performance.now();
  for await (const file of filesToSearch(roots, args, signal)) {
    if (glob !== undefined && !glob.matches(file.below)) continue;
    const left = args.max - shown;
    if (left === 0) {
      complete = false;
      break;
    }
    const found = await searchOne(roots, file, {
      match: matcher.match,
      contextLines: args.contextLines,
      max: left,
      signal,
    });
    if (found === undefined) skipped.unreadable++;
    else if (found.status === "skipped") {
      if (found.reason !== "not a file") skipped[found.reason]++;
    } else {
      searched++;
      total += found.matches;
      shown += Math.min(found.matches, left);
      skipped.longLines += found.skippedLines;
      if (found.lines.length > 0) files.push({ path: file.shown, lines: found.lines });
      if (searched % 500 === 0)
        output.progress({
          message: `${countOf(searched, "file")} searched, ${countOf(total, "match", "matches")}`,
        });
    }
    // Reading files from the system's cache does not yield, so yield to the event loop here.
    if (performance.now() - lastBreath > 20) {
      await setImmediate();
      lastBreath = performance.now();
    }
  }
  return { files, shown, total, complete, searched, skipped };
}

async function* filesToSearch(
  roots: FileRoots,
  { path, dependencies }: Args,
  signal: AbortSignal,
): AsyncGenerator<AllowedPath & { readonly below: string }> {
  for (const folder of startFolders(roots, path)) {
    await using start = await openPath(roots, folder);
    if (!start.stats.isDirectory()) {
      yield { shown: start.shown, real: start.real, below: start.shown };
      continue;
    }
    for await (const entry of walkFiles(roots, start, { dependencies, signal })) {
      if (entry.type === "file") yield entry;
    }
  }
}

/** Returns `undefined` if the file cannot be read, or was deleted in the meantime. */
async function searchOne(
  roots: FileRoots,
  path: AllowedPath,
  options: FileSearchOptions,
): Promise<FileSearch | undefined> {
  try {
    await using file = await openAllowed(roots, path);
    return await searchFile(file, options);
  } catch (error) {
    if (error instanceof FileError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function format({ files, shown, total, complete, searched, skipped }: SearchResult): string {
  const blocks = files.map(({ path, lines }) =>
    [path, ...lines.map(({ line, text, context }) => `${line}${context ? "-" : ":"} ${text}`)].join(
      "\n",
    ),
  );
  const where = `${countOf(searched, "file")} searched`;
  const head =
    total === 0
      ? `No match; ${where}.`
      : `${countOf(total, "matching line")} in ${countOf(files.length, "file")}; ${where}.`;
  const notes = [
    ...(total > shown
      ? [
          `${(total - shown).toLocaleString("en-US")} more in the last file not shown; raise max or narrow the search.`,
        ]
      : []),
    ...(complete
      ? []
      : ["Not all files were searched: max was reached. Raise it or narrow the search."]),
    ...(skipped.large > 0
      ? [`${countOf(skipped.large, "file")} over ${formatBytes(largestSearched)} skipped.`]
      : []),
    ...(skipped.binary > 0 ? [`${countOf(skipped.binary, "binary file")} skipped.`] : []),
    ...(skipped.unreadable > 0
      ? [`${countOf(skipped.unreadable, "file")} could not be read.`]
      : []),
    ...(skipped.longLines > 0
      ? [
          `${countOf(skipped.longLines, "line")} too long for this pattern skipped; try it as literal text.`,
        ]
      : []),
  ];
  return [head + (notes.length > 0 ? ` [${notes.join(" ")}]` : ""), ...blocks].join("\n\n");
}
