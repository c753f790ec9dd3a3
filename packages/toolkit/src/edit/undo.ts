import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnFileErrors } from "../files/file-roots.ts";
import { ChangeFolder, type ChangeRecord } from "./change/change-record.ts";
import { makeChange } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import { changeResult, formatChange } from "./permission.ts";
import { undoOperations } from "./change/undo-operations.ts";

const parameters = z.object({
  change: z.string().describe("The id that the result of an editing tool names: change_…"),
});

/** `Undo`: takes back the change of an earlier call. */
export function undo(options: EditToolsOptions): Tool {
  return defineTool({
    name: "Undo",
    description:
      "Takes back one change of the editing tools, as a whole. Fails if one of its files was changed since. An Undo can be undone.",
    parameters,
    effects: "write",
    idempotent: true,
    permission: {
      executionPolicy: "ask-always",
      preview: ({ change }, context) =>
        previewChange(options, context, async ({ folder }) =>
          undoOperations(await folder.find(change), folder),
        ),
    },
    compressArgs: ({ change }) => change,
    formatForLLM: formatChange,
    execute: ({ change: id }, context) =>
      returnFileErrors(async () => {
        const folder = new ChangeFolder(options.changes, context.principal.id);
        const undone = await folder.find(id);
        const change = await makeChange(options, context, () => undoOperations(undone, folder));
        await folder.save({ ...undone, status: "undone" });
        return changeResult(`Took back ${id}: ${pathsOf(undone).join(", ")}.`, change);
      }),
  });
}

function pathsOf({ steps }: ChangeRecord): readonly string[] {
  return [...new Set(steps.map((step) => (step.do === "move" ? step.from : step.path)))];
}
