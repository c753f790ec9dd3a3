import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnFileErrors } from "../files/file-roots.ts";
import { ChangeFolder, type ChangeRecord } from "./change/change-record.ts";
import { makeChange, takeBack } from "./change/make-change.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { previewChange } from "./change/preview-change.ts";
import { changeResult, formatChange } from "./permission.ts";
import { undoOperations } from "./change/undo-operations.ts";
import { targetErrors } from "./edit-errors.ts";

const parameters = z.object({
  change: z.string().describe("The id in the result of an editing tool: change_…"),
});

/** `Undo`: undoes the change of an earlier call. */
export function undo(options: EditToolsOptions): Tool {
  return defineTool({
    name: "Undo",
    description:
      "Undoes one change of the editing tools, as a whole. Fails if one of its files was changed since. An Undo can be undone.",
    parameters,
    effects: "write",
    idempotent: true,
    examples: [{ title: "Undo a change.", args: { change: "change_3f0c2a6e9b1d4c58a7e2b1d0" } }],
    errors: {
      ...targetErrors,
      already_undone: "The change was undone already.",
      not_complete: "The change is still being made.",
      unknown_change: "There is no change with this id.",
    },
    permission: {
      executionPolicy: "ask-always",
      preview: async ({ change }, context) => {
        const folder = new ChangeFolder(options.changes, context.principal.id);
        const found = await returnFileErrors(() => folder.find(change));
        if ("status" in found && found.status === "begun")
          return `Undoes the part of ${change} that was made before it was interrupted: ${listOf(found)}.`;
        return previewChange(options, context, async () =>
          undoOperations(await folder.find(change), folder),
        );
      },
    },
    compressArgs: ({ change }) => change,
    formatForLLM: formatChange,
    execute: ({ change: id }, context) =>
      returnFileErrors(async () => {
        const folder = new ChangeFolder(options.changes, context.principal.id);
        const undone = await folder.find(id);
        if (undone.status === "begun") {
          const { principal, signal, denied } = context;
          const cutOff = await takeBack(options, { principal, signal, denied }, id);
          return changeResult(`Undid ${id}, which was interrupted: ${listOf(cutOff)}.`, cutOff);
        }
        const change = await makeChange(options, context, () => undoOperations(undone, folder));
        await folder.save({ ...undone, status: "undone" });
        return changeResult(`Undid ${id}: ${listOf(undone)}.`, change);
      }),
  });
}

function listOf({ steps }: ChangeRecord): string {
  return [...new Set(steps.map((step) => (step.do === "move" ? step.from : step.path)))].join(", ");
}
