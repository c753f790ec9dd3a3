import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnFileErrors } from "../files/file-roots.ts";
import { makeChange } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import { changeResult, folderPermission, formatChange, pathLocks } from "./permission.ts";
import { createErrors } from "./edit-errors.ts";

const parameters = z.object({
  path: z.string().min(1).describe("The folder. Missing folders above it are created, too."),
});

/** `MakeDirectory`: creates a folder. */
export function makeDirectory(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "MakeDirectory",
    description: "Creates a folder. Succeeds if it exists.",
    parameters,
    effects: { locks: ({ path }) => [lock(path)] },
    idempotent: true,
    examples: [{ title: "Create a folder.", args: { path: "drafts" } }],
    errors: createErrors,
    permission: {
      ...folderPermission(options),
      preview: ({ path }, context) =>
        previewChange(options, context, async () => [{ do: "folder", path }]),
    },
    compressArgs: ({ path }) => path,
    formatForLLM: formatChange,
    execute: ({ path }, context) =>
      returnFileErrors(async () => {
        const change = await makeChange(options, context, async () => [{ do: "folder", path }]);
        const text =
          change.steps.length === 0 ? `${path} exists already.` : `Created the folder ${path}.`;
        return changeResult(text, change);
      }),
  });
}
