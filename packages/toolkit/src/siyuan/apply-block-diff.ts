import { defineTool, type Tool, type ToolContext } from "@capstan/core";
import { z } from "zod";
import { BlockChanges } from "./change/change-record.ts";
import { runSerially, makeChanges } from "./change/make-changes.ts";
import { parseDiff } from "./change/parse-diff.ts";
import { planChanges } from "./change/plan-changes.ts";
import { previewSteps } from "./change/preview-steps.ts";
import { takeBack } from "./change/take-back.ts";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import { kernelErrors, type SiyuanAccess, writeLocks } from "./siyuan-options.ts";

const parameters = z.object({
  diff: z
    .string()
    .max(1_000_000)
    .optional()
    .describe("Edits of blocks. Rule/siyuan/block-edit-search-replace describes the form."),
  dryRun: z.boolean().default(false).describe("Checks the diff and shows its effect."),
  undo: z
    .string()
    .optional()
    .describe("Instead of a diff: the id change_… of an earlier change to undo."),
});

type Args = z.infer<typeof parameters>;

interface Applied {
  readonly text: string;
  /** The id for `undo`; absent for a dry run. */
  readonly change?: string;
}

/** `applyBlockDiff`: edits blocks, all of a diff or nothing, and undoes earlier edits. */
export function applyBlockDiff(access: SiyuanAccess): Tool {
  return defineTool({
    name: "applyBlockDiff",
    description:
      "Edits blocks of SiYuan by SEARCH/REPLACE blocks and commands. Makes all edits of a diff or none. Blocks keep their ids and attributes.",
    parameters,
    examples: [
      {
        title: "Replaces part of a paragraph.",
        args: {
          diff: "@@20260102000000-first00@@\n<<<<<<< SEARCH\nfirst\n=======\nlast\n>>>>>>> REPLACE",
        },
      },
    ],
    errors: {
      ...kernelErrors,
      invalid_diff: "the diff cannot be read",
      no_match: "a SEARCH text does not occur in the block",
      ambiguous_match: "a SEARCH text occurs several times",
      conflicting_edits: "edits exclude each other",
      list_items_only: "a list holds only list items",
      not_made: "SiYuan reported success and made no change; all others were undone",
      changed_since: "a block has changed since the change to undo",
      unknown_change: "there is no such change of this user",
    },
    effects: writeLocks,
    idempotent: true,
    permission: {
      executionPolicy: ({ dryRun, undo }) => (dryRun && undo === undefined ? "auto" : "ask-always"),
      preview: (args, context) =>
        returnKernelErrors(async () => {
          const { diff, undo } = checked(args);
          const ask = access.ask(context);
          if (diff !== undefined) return previewSteps(await planChanges(ask, parseDiff(diff)));
          const changes = new BlockChanges(access.options.changes, context.principal.id);
          const change = await changes.find(undo);
          const ids = change.steps.flatMap((step) =>
            step.do === "insert" ? (step.added ?? []).map(({ id }) => id) : [step.id],
          );
          return `Undoes ${change.id}: restores or removes the blocks ${ids.join(", ")}.`;
        }),
    },
    compressArgs: ({ undo, dryRun }) => undo ?? (dryRun ? "dry run" : ""),
    declaredReturnType: { type: "{text: string, change?: string}" },
    formatForLLM: ({ text, change }: Applied) =>
      change === undefined ? text : `${text}\n[${change}]`,
    execute: (args, context) => returnKernelErrors(() => apply(access, args, context)),
  });
}

function checked({ diff, undo, dryRun }: Args) {
  if (undo !== undefined && (diff !== undefined || dryRun))
    throw refused("invalid_arguments", "Give undo alone, or a diff.");
  if (undo !== undefined) return { undo };
  if (diff === undefined) throw refused("invalid_arguments", "Give a diff, or undo.");
  return { diff };
}

async function apply(access: SiyuanAccess, args: Args, context: ToolContext): Promise<Applied> {
  const { diff, undo } = checked(args);
  const ask = access.ask(context);
  const folder = access.options.changes;
  const changes = new BlockChanges(folder, context.principal.id);
  if (diff !== undefined && args.dryRun)
    return {
      text: `Nothing was changed. The diff would do this:\n${await previewSteps(await planChanges(ask, parseDiff(diff)))}`,
    };
  return runSerially(folder, async () => {
    if (undo !== undefined) {
      const undone = await changes.find(undo);
      if (undone.status === "undone") return { text: `${undo} was undone already.` };
      await takeBack(ask, undone, { isChecked: undone.status === "done" });
      await changes.save({ ...undone, status: "undone" });
      return { text: `Undid ${undo}.` };
    }
    const change = await changes.begin(context.idempotencyKey);
    // The call is repeated: an earlier attempt made its changes, or was interrupted and is undone
    // first.
    if (change.status !== "begun") return { text: change.text, change: change.id };
    if (change.steps.length > 0) await takeBack(ask, change, { isChecked: false });
    const steps = await planChanges(ask, parseDiff(diff));
    const done = await makeChanges(ask, steps, { change, changes });
    const text = await previewSteps(steps);
    await changes.save({ ...done, text });
    await changes.prune();
    return { text, change: done.id };
  });
}
