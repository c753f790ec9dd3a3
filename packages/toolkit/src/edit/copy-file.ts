import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { FileError, returnFileErrors } from "../files/file-roots.ts";
import { openPath } from "../files/open-path.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { makeChange, type Plan } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import { changeResult, formatChange, pathLocks, pathsPermission } from "./permission.ts";
import { createErrors } from "./edit-errors.ts";

/** The largest file that is copied, in bytes. */
const largestCopy = 256 * 1024 * 1024;

const parameters = z.object({
  from: z.string().min(1).describe("A file."),
  to: z.string().min(1).describe("The path of the copy, which must not exist yet."),
});

/** `CopyFile`: copies a file. */
export function copyFile(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "CopyFile",
    description: "Copies a file. Never replaces another file.",
    parameters,
    effects: { locks: ({ from, to }) => [lock(from), lock(to)] },
    idempotent: true,
    examples: [{ title: "Copy a file.", args: { from: "src/main.ts", to: "src/app.ts" } }],
    errors: { ...createErrors, not_a_file: "The path is not a file." },
    permission: {
      ...pathsPermission(options),
      preview: ({ from, to }, context) => previewChange(options, context, planOf(from, to)),
    },
    compressArgs: ({ from, to }) => `${from} to ${to}`,
    formatForLLM: formatChange,
    execute: ({ from, to }, context) =>
      returnFileErrors(async () => {
        const change = await makeChange(options, context, planOf(from, to));
        return changeResult(`Copied ${from} to ${to}.`, change);
      }),
  });
}

function planOf(from: string, to: string): Plan {
  return async ({ sources }) => {
    // Applies the same checks as reading, so that a copy cannot reveal a denied file.
    await using source = await openPath(sources, from);
    if (!source.stats.isFile())
      throw new FileError(
        "not_a_file",
        `"${source.shown}" is not a file. Copy the files of a folder one by one.`,
      );
    if (source.stats.size > largestCopy)
      throw new FileError(
        "too_large",
        `"${source.shown}" has ${formatBytes(source.stats.size)}; files up to ${formatBytes(largestCopy)} can be copied.`,
      );
    const content = await source.handle.readFile();
    return [{ do: "write", path: to, content, mode: source.stats.mode, expects: "new" }];
  };
}
