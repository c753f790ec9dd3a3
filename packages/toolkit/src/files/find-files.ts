import { defineTool, type Tool, type ToolContext, toolError, type ToolError } from "@capstan/core";
import { z } from "zod";
import {
  canonicalPath,
  fileRoots,
  type FileToolsOptions,
  pathErrors,
  returnFileErrors,
  startFolders,
} from "./file-roots.ts";
import { countOf } from "../text/format-bytes.ts";
import { compileGlob } from "./glob.ts";
import { openPath } from "./open-path.ts";
import { walkFiles } from "./walk-files.ts";

const parameters = z.object({
  glob: z
    .string()
    .max(500)
    .describe(
      "e.g. *.md (in any folder), src/**/*.{ts,tsx}, **/test/*. * ? [abc] {a,b}; ** crosses folders.",
    ),
  path: z.string().default(".").describe('The folder to search. Default "."'),
  type: z.enum(["file", "folder", "any"]).default("file").describe("Files, folders or both."),
  max: z.int().min(1).max(5000).default(500).describe("Paths to return. Default 500."),
  dependencies: z.boolean().default(false).describe("Go into node_modules and .git too."),
});

type Args = z.infer<typeof parameters>;

interface Found {
  readonly paths: readonly string[];
  /**
   * The number of matches, which is larger than the length of `paths` if the list was truncated.
   */
  readonly total: number;
}

/** `FindFiles`: paths by glob. */
export function findFiles(options: FileToolsOptions): Tool {
  return defineTool({
    name: "FindFiles",
    description: "Finds files or folders by a glob over their paths. Returns paths, sorted.",
    parameters,
    effects: "read",
    examples: [{ title: "Find all TypeScript files.", args: { glob: "**/*.ts" } }],
    errors: { ...pathErrors, invalid_glob: "The glob is invalid; the message says where." },
    permission: { executionPolicy: "auto", canonicalArguments: canonicalPath(options) },
    compressArgs: ({ glob }) => glob,
    formatForLLM: ({ paths, total }: Found, { glob }) => {
      if (total === 0) return `Nothing matches ${glob}.`;
      const more = total - paths.length;
      return (
        paths.join("\n") +
        (more > 0
          ? `\n[${countOf(more, "more path")} not shown; narrow the glob or raise max.]`
          : "")
      );
    },
    execute: (args, context) => returnFileErrors(() => find(args, context, options)),
  });
}

async function find(
  args: Args,
  { signal, output, denied }: ToolContext,
  options: FileToolsOptions,
): Promise<Found | ToolError> {
  const glob = compileGlob(args.glob);
  if (glob.status === "invalid") return toolError({ code: "invalid_glob", message: glob.message });
  const roots = await fileRoots(options, denied());
  const paths: string[] = [];
  let total = 0;
  let seen = 0;
  for (const folder of startFolders(roots, args.path)) {
    await using start = await openPath(roots, folder);
    for await (const entry of walkFiles(roots, start, { ...args, signal })) {
      if (++seen % 5000 === 0) output.progress({ message: `${countOf(seen, "path")} looked at` });
      const fits = args.type === "any" || (entry.type === "folder") === (args.type === "folder");
      if (!fits || !glob.matches(entry.below)) continue;
      total++;
      if (paths.length < args.max) paths.push(entry.shown);
    }
  }
  return { paths, total };
}
