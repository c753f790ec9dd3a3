import { defineTool, type Tool, type ToolContext } from "@capstan/core";
import { z } from "zod";
import { hasIds } from "./blocks/attribute-lists.ts";
import { flush, readKramdown, readSpot } from "./blocks/read-blocks.ts";
import { BlockChanges } from "./change/change-record.ts";
import { runSerially, makeChanges } from "./change/make-changes.ts";
import { planChanges } from "./change/plan-changes.ts";
import { previewSteps } from "./change/preview-steps.ts";
import { isContainer } from "./kernel/block-types.ts";
import type { AskKernel } from "./kernel/kernel.ts";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import { idParameter, notebookConfReply, transactionsReply } from "./kernel/replies.ts";
import { kernelErrors, type SiyuanAccess, writeLocks } from "./siyuan-options.ts";

const parameters = z.object({
  markdown: z.string().min(1).max(1_000_000),
  target: z
    .enum(["dailynote", "document", "block"])
    .describe(
      "Today's daily note of a notebook, the end of a document, or a block: after it, or inside a heading's section, list or quote.",
    ),
  id: idParameter.describe("The notebook, the document or the block."),
});

type Args = z.infer<typeof parameters>;

interface Appended {
  /** The first new block. */
  readonly id: string;
  readonly documentId: string;
  readonly documentTitle: string;
  /** The id for `applyBlockDiff {"undo": …}`; absent for a daily note. */
  readonly change?: string;
}

/** `appendContent`: adds Markdown to a daily note, a document or a block. */
export function appendContent(access: SiyuanAccess): Tool {
  return defineTool({
    name: "appendContent",
    description:
      "Adds Markdown to SiYuan: to today's daily note, at the end of a document, of the section of a heading or of a list or quote, or after another block.",
    parameters,
    examples: [
      {
        title: "A line in today's daily note.",
        args: { markdown: "Met **Ann**.", target: "dailynote", id: "20260101000000-work000" },
      },
    ],
    errors: {
      ...kernelErrors,
      no_daily_notes: "the notebook has no path for daily notes",
      not_a_document: "the id is that of a block",
      list_items_only: "a list holds only list items",
      empty_text: "the Markdown is empty",
      attribute_list: "the Markdown sets ids",
      not_made: "SiYuan reported success and made no change",
    },
    effects: writeLocks,
    permission: {
      executionPolicy: "ask-always",
      preview: (args, context) => returnKernelErrors(() => preview(access.ask(context), args)),
    },
    compressArgs: ({ target, id }) => `${target} ${id}`,
    declaredReturnType: { type: "{id, documentId, documentTitle, change?}" },
    formatForLLM: ({ id, documentId, documentTitle, change }: Appended) =>
      `Added block ${id} to ${documentTitle} (${documentId}).${change === undefined ? "" : ` [${change}]`}`,
    execute: (args, context) => returnKernelErrors(() => append(access, args, context)),
  });
}

async function preview(ask: AskKernel, args: Args): Promise<string> {
  checkMarkdown(args.markdown);
  if (args.target === "dailynote") {
    const { name } = await dailyNotebook(ask, args.id);
    return `Adds to today's daily note of the notebook ${JSON.stringify(name)}:\n${args.markdown}`;
  }
  return previewSteps(await planned(ask, args));
}

async function append(access: SiyuanAccess, args: Args, context: ToolContext): Promise<Appended> {
  const ask = access.ask(context);
  checkMarkdown(args.markdown);
  const folder = access.options.changes;
  return runSerially(folder, async () => {
    if (args.target === "dailynote") return appendToDay(ask, args);
    const changes = new BlockChanges(folder, context.principal.id);
    const change = await changes.begin(context.idempotencyKey);
    const steps = await planned(ask, args);
    const done = await makeChanges(ask, steps, { change, changes });
    const [step] = done.steps;
    const id = step?.do === "insert" ? step.added?.[0]?.id : undefined;
    const spot = await readSpot(ask, id ?? args.id);
    const { documentId, documentTitle } = spot;
    await changes.save({ ...done, text: `Added block ${id} to ${documentTitle}.` });
    await changes.prune();
    return { id: id ?? "", documentId, documentTitle, change: done.id };
  });
}

async function planned(ask: AskKernel, { markdown, id, target }: Args) {
  const spot = await readSpot(ask, id);
  if (target === "document" && spot.type !== "d")
    throw refused(
      "not_a_document",
      `${id} is not a document. Its document is ${spot.documentId}; for the block itself, set target to "block".`,
    );
  const isHolder = isContainer(spot.type) || spot.type === "h";
  return planChanges(ask, [{ do: isHolder ? "append" : "after", id, markdown }]);
}

async function appendToDay(ask: AskKernel, { markdown, id: notebook }: Args): Promise<Appended> {
  await dailyNotebook(ask, notebook);
  const transactions = await ask(
    "/api/block/appendDailyNoteBlock",
    { notebook, dataType: "markdown", data: markdown },
    transactionsReply,
  );
  const id = transactions[0]?.doOperations[0]?.id ?? "";
  await flush(ask);
  await readKramdown(ask, id);
  const { documentId, documentTitle } = await readSpot(ask, id);
  return { id, documentId, documentTitle };
}

/** @throws KernelError `no_daily_notes` */
async function dailyNotebook(ask: AskKernel, notebook: string): Promise<{ readonly name: string }> {
  const schema = notebookConfReply.extend({ name: z.string().catch("") });
  const { conf, name } = await ask("/api/notebook/getNotebookConf", { notebook }, schema);
  if (conf.dailyNoteSavePath !== "") return { name };
  throw refused(
    "no_daily_notes",
    `The notebook ${name} has no path for daily notes. The user can set one in SiYuan, in the settings of the notebook.`,
  );
}

/** Reject a text without content, for which the kernel would insert an empty paragraph. */
function checkMarkdown(markdown: string): void {
  if (markdown.trim() === "") throw refused("empty_text", "The Markdown is empty.");
  if (hasIds(markdown))
    throw refused(
      "attribute_list",
      'The Markdown has an attribute list with an id, such as {: id="…"}. New blocks get their own ids, so leave these out.',
    );
}
