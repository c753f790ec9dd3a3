import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { canonicalPath, returnFileErrors } from "../files/file-roots.ts";
import { makeChange } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import {
  changeResult,
  exactPath,
  folderPermission,
  formatChange,
  pathLocks,
} from "./permission.ts";
import { targetErrors } from "./edit-errors.ts";

const parameters = z.object({ path: z.string().min(1).describe("A file, a folder or a link.") });

/** `RemoveFile`: moves a file or a folder to the trash. */
export function removeFile(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  const canonical = canonicalPath<{ readonly path: string }>(options);
  return defineTool({
    name: "RemoveFile",
    description: "Removes a file, or a folder with all of its files. Undo restores it.",
    parameters,
    effects: { locks: ({ path }) => [lock(path)] },
    idempotent: true,
    examples: [{ title: "Remove a folder with its files.", args: { path: "drafts" } }],
    errors: targetErrors,
    permission: {
      ...folderPermission(options),
      // `src/**` also matches `src` itself, so a wider approval would cover the folder, not only
      // its files.
      grantScope: (args) => exactPath(canonical(args).path),
      preview: ({ path }, context) =>
        previewChange(options, context, async () => [{ do: "remove", path }]),
    },
    compressArgs: ({ path }) => path,
    formatForLLM: formatChange,
    execute: ({ path }, context) =>
      returnFileErrors(async () => {
        const change = await makeChange(options, context, async () => [{ do: "remove", path }]);
        return changeResult(`Removed ${path}.`, change);
      }),
  });
}
