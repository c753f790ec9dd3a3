import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnFileErrors } from "../files/file-roots.ts";
import { makeChange } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import { changeResult, formatChange, pathLocks, pathsPermission } from "./permission.ts";
import { createErrors } from "./edit-errors.ts";

const parameters = z.object({
  from: z.string().min(1).describe("A file or a folder."),
  to: z
    .string()
    .min(1)
    .describe("Its new path, which must not exist yet. Missing folders are created."),
});

/** `MoveFile`: moves or renames a file or a folder. */
export function moveFile(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "MoveFile",
    description: "Moves or renames a file or a folder. Never replaces another file.",
    parameters,
    effects: { locks: ({ from, to }) => [lock(from), lock(to)] },
    idempotent: true,
    examples: [{ title: "Rename a file.", args: { from: "src/app.ts", to: "src/main.ts" } }],
    errors: { ...createErrors, into_itself: "The new path is inside the moved folder." },
    permission: {
      ...pathsPermission(options),
      preview: ({ from, to }, context) =>
        previewChange(options, context, async () => [{ do: "move", from, to }]),
    },
    compressArgs: ({ from, to }) => `${from} to ${to}`,
    formatForLLM: formatChange,
    execute: ({ from, to }, context) =>
      returnFileErrors(async () => {
        const change = await makeChange(options, context, async () => [{ do: "move", from, to }]);
        return changeResult(`Moved ${from} to ${to}.`, change);
      }),
  });
}
