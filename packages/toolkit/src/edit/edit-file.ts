import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { FileError, notFound, returnFileErrors } from "../files/file-roots.ts";
import { countOf, formatBytes } from "../text/format-bytes.ts";
import { applyReplacements } from "./text/apply-edits.ts";
import { runEditJob } from "./text/run-edit-job.ts";
import { makeChange, type Plan } from "./change/make-change.ts";
import { type EditToolsOptions, openTarget, type Target } from "./change/open-target.ts";
import { changeResult, folderPermission, formatChange, pathLocks } from "./permission.ts";
import { previewChange } from "./change/preview-change.ts";
import { readTarget } from "./change/read-target.ts";
import { decodeText, encodeText, largestEdit } from "./text/text-content.ts";
import { textErrors } from "./edit-errors.ts";

const parameters = z.object({
  path: z.string().min(1).describe("The file, relative to the root."),
  edits: z
    .array(
      z.object({
        search: z.string().describe("Lines of the file, copied exactly, that occur once."),
        replace: z.string().describe("The lines that replace them. Empty removes them."),
        all: z.boolean().optional().describe("Replace every occurrence."),
      }),
    )
    .min(1)
    .max(200)
    .describe("All are applied, or none. Each is matched against the unedited file."),
});

/** `EditFile`: replaces parts of a text file. */
export function editFile(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "EditFile",
    description:
      "Replaces parts of a text file. An edit that does not match exactly may differ in indentation and in white space at line ends.",
    parameters,
    effects: { locks: ({ path }) => [lock(path)] },
    idempotent: true,
    examples: [
      {
        title: "Replace a line.",
        args: { path: "src/app.ts", edits: [{ search: "return 1;", replace: "return 2;" }] },
      },
    ],
    errors: {
      ...textErrors,
      empty_search: "An edit has no text to find.",
      overlapping_edits: "Two edits change the same lines.",
      too_many_matches: "The edits have too many matches.",
    },
    permission: {
      ...folderPermission(options),
      preview: (args, context) => previewChange(options, context, planOf(args)),
    },
    compressArgs: ({ path, edits }) => `${path}, ${countOf(edits.length, "edit")}`,
    formatForLLM: formatChange,
    execute: ({ path, edits }, context) =>
      returnFileErrors(async () => {
        let lines: readonly number[] = [];
        const plan = planOf({ path, edits }, (found) => (lines = found));
        const change = await makeChange(options, context, plan);
        const { path: shown } = change.steps.find((step) => step.do === "write") ?? { path };
        const places = lines.length === 0 ? "" : `, line ${lines.slice(0, 20).join(", ")}`;
        return changeResult(`Edited ${shown}${places}.`, change);
      }),
  });
}

/** @param onLines is called with the numbers of the first lines of all replaced texts */
function planOf(
  { path, edits }: z.infer<typeof parameters>,
  onLines: (lines: readonly number[]) => void = () => {},
): Plan {
  return async ({ roots, owner }) => {
    await using target = await openTarget(roots, path, {});
    const before = await readEdited(target, path);
    const content = decodeText(before, target.shown);
    const job = { type: "edit", text: content.text, edits } as const;
    const { replacements, lines } = await runEditJob(job, owner);
    onLines(lines);
    const edited = { ...content, text: applyReplacements(content.text, replacements) };
    const texts = { before: content, after: edited };
    return [
      { do: "write", path, content: encodeText(edited), expects: { content: before }, texts },
    ];
  };
}

/** Reads the file to edit. @throws FileError */
export async function readEdited(target: Target, path: string): Promise<Uint8Array> {
  const { stats, shown } = target;
  if (stats === undefined) throw notFound(path);
  if (!stats.isFile()) throw new FileError("not_a_file", `"${shown}" is not a file.`);
  if (stats.size > BigInt(largestEdit))
    throw new FileError(
      "too_large",
      `"${shown}" has ${formatBytes(Number(stats.size))}; files up to ${formatBytes(largestEdit)} can be edited.`,
    );
  return readTarget(target);
}
