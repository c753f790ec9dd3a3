import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { FileError, type FileRoots, returnFileErrors } from "../files/file-roots.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { lineEnd } from "./text/apply-edits.ts";
import { readEdited } from "./edit-file.ts";
import { makeChange, type Plan } from "./change/make-change.ts";
import { type EditToolsOptions, openTarget } from "./change/open-target.ts";
import { changeResult, folderPermission, formatChange, pathLocks } from "./permission.ts";
import { previewChange } from "./change/preview-change.ts";
import { decodeText, encodeText } from "./text/text-content.ts";
import { createErrors } from "./edit-errors.ts";

const parameters = z.object({
  path: z.string().min(1).describe("The file, relative to the root. Missing folders are created."),
  content: z.string().describe("The text, as UTF-8."),
  mode: z
    .enum(["create", "overwrite", "append"])
    .default("create")
    .describe("create fails if the file exists."),
});

/** `WriteFile`: creates, replaces or extends a text file. */
export function writeFile(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "WriteFile",
    description:
      "Writes a text file: a new one, a replacement for all of it, or lines at its end. To change parts of a file, use EditFile.",
    parameters,
    effects: { locks: ({ path }) => [lock(path)] },
    idempotent: true,
    examples: [
      {
        title: "Create a file.",
        args: { path: "notes/today.md", content: "# Today\n- call Ada\n" },
      },
    ],
    errors: createErrors,
    permission: {
      ...folderPermission(options),
      preview: (args, context) => previewChange(options, context, planOf(args)),
    },
    compressArgs: ({ path, mode, content }) => `${mode} ${path}, ${content.length} characters`,
    formatForLLM: formatChange,
    execute: (args, context) =>
      returnFileErrors(async () => {
        const change = await makeChange(options, context, planOf(args));
        const { path } = change.steps.find((step) => step.do === "write") ?? args;
        const what = { create: "Created", overwrite: "Wrote", append: "Appended to" }[args.mode];
        const size = formatBytes(Buffer.byteLength(args.content));
        return changeResult(`${what} ${path} (${size}).`, change);
      }),
  });
}

function planOf({ path, content: text, mode }: z.infer<typeof parameters>): Plan {
  const content = Buffer.from(text);
  return async ({ roots }) => {
    if (mode !== "append")
      return [{ do: "write", path, content, expects: mode === "create" ? "new" : "any" }];
    const before = await readIfExists(roots, path);
    if (before === undefined) return [{ do: "write", path, content, expects: "new" }];
    const expects = { content: before };
    return [{ do: "write", path, content: appended(before, text, path), expects }];
  };
}

async function readIfExists(roots: FileRoots, path: string): Promise<Uint8Array | undefined> {
  try {
    await using target = await openTarget(roots, path, {});
    return target.stats === undefined ? undefined : await readEdited(target, path);
  } catch (error) {
    if (error instanceof FileError && error.data.code === "no_folder") return undefined;
    throw error;
  }
}

/**
 * Adds lines in the file's encoding and with its line ends. If the last line has no line end, adds
 * one first.
 */
function appended(before: Uint8Array, added: string, shown: string): Uint8Array {
  const content = decodeText(before, shown);
  const eol = lineEnd(content.text);
  const text = eol === "\n" ? added : added.replaceAll(/\r?\n/g, eol);
  const gap = content.text === "" || content.text.endsWith("\n") ? "" : eol;
  return encodeText({ ...content, text: content.text + gap + text });
}
