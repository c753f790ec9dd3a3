import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { inParallel } from "./blocks/read-blocks.ts";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import { notebookConfReply, notebooksReply } from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

const parameters = z.object({
  name: z.string().min(1).optional().describe("Only notebooks whose name contains this."),
  id: z.string().min(1).optional().describe("Only the notebook with this id."),
});

interface Notebook {
  readonly id: string;
  readonly name: string;
  readonly state: "open" | "closed" | "locked";
  /** Whether the notebook has a path for daily notes. */
  readonly dailyNotes: boolean;
}

/** `listNotebooks`: lists the notebooks. */
export function listNotebooks({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "listNotebooks",
    description: "Lists the notebooks of SiYuan, with their ids and whether they are open.",
    parameters,
    examples: [{ title: "All notebooks.", args: {} }],
    errors: { ...kernelErrors, no_such_notebook: "no notebook has this name or id" },
    ...reads,
    declaredReturnType: { type: "{id, name, state, dailyNotes}[]" },
    formatForLLM: (notebooks: readonly Notebook[]) =>
      notebooks
        .map(
          ({ id, name, state, dailyNotes }) =>
            `- ${name} (${id}): ${state}${state === "open" && !dailyNotes ? ", no daily notes" : ""}`,
        )
        .join("\n") || "There are no notebooks.",
    execute: ({ name, id }, context) =>
      returnKernelErrors(async () => {
        const kernel = ask(context);
        const { notebooks } = await kernel("/api/notebook/lsNotebooks", {}, notebooksReply);
        const found = notebooks.filter(
          (one) =>
            (id === undefined || one.id === id) &&
            (name === undefined || one.name.toLowerCase().includes(name.toLowerCase())),
        );
        if (found.length === 0 && notebooks.length > 0)
          throw refused(
            "no_such_notebook",
            `There is no such notebook. The notebooks are: ${notebooks.map((one) => one.name).join(", ")}.`,
          );
        return inParallel(found, async ({ id: notebook, name: title, ...flags }) => {
          const { closed, encrypted, unlocked } = flags;
          const state = encrypted && !unlocked ? "locked" : closed ? "closed" : "open";
          const conf =
            state === "open"
              ? await kernel("/api/notebook/getNotebookConf", { notebook }, notebookConfReply)
              : undefined;
          const dailyNotes = (conf?.conf.dailyNoteSavePath ?? "") !== "";
          return { id: notebook, name: title, state, dailyNotes };
        });
      }),
  });
}
