import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnFileErrors } from "../files/file-roots.ts";
import { makeChange } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import { changeResult, folderPermission, formatChange, pathLocks } from "./permission.ts";

const parameters = z.object({ path: z.string().min(1).describe("A file, a folder or a link.") });

/** `RemoveFile`: moves a file or a folder to the trash. */
export function removeFile(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "RemoveFile",
    description: "Removes a file, or a folder with all of its files. Undo brings it back.",
    parameters,
    effects: { locks: ({ path }) => [lock(path)] },
    idempotent: true,
    permission: {
      ...folderPermission(options),
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
