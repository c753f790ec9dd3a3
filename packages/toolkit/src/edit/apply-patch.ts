import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnFileErrors } from "../files/file-roots.ts";
import { sha256 } from "./change/sha256.ts";
import type { Operation } from "./change/apply-operations.ts";
import { readEdited } from "./edit-file.ts";
import { type ChangePlan, makeChange, type Plan } from "./change/make-change.ts";
import { type EditToolsOptions, openTarget } from "./change/open-target.ts";
import { type FilePatch, parsePatch, patchedPaths } from "./text/parse-patch.ts";
import { runEditJob } from "./text/run-edit-job.ts";
import { changeResult, formatChange, pathLocks } from "./permission.ts";
import { previewChange } from "./change/preview-change.ts";
import { decodeText, encodeText } from "./text/text-content.ts";
import { createErrors, textErrors } from "./edit-errors.ts";

const parameters = z.object({
  patch: z
    .string()
    .min(1)
    .max(4 * 1024 * 1024)
    .describe(
      "*** Begin Patch, then for each file *** Add File: path (lines with +), *** Update File: path (optionally *** Move to: path; hunks of lines with space, - or +, each after @@) or *** Delete File: path, then *** End Patch.",
    ),
});

/** `ApplyPatch`: adds, changes, moves and removes files, all or none. */
export function applyPatch(options: EditToolsOptions): Tool {
  const lock = pathLocks(options);
  return defineTool({
    name: "ApplyPatch",
    description: "Applies one patch to several files: all of it, or nothing.",
    parameters,
    effects: { locks: ({ patch }) => patchedPaths(patch).map(lock) },
    idempotent: true,
    examples: [
      {
        title: "Change a line by a patch.",
        args: {
          patch:
            "*** Begin Patch\n*** Update File: notes/today.md\n@@\n # Today\n-- call Ada\n+- call Grace\n*** End Patch",
        },
      },
    ],
    errors: {
      ...createErrors,
      ...textErrors,
      invalid_patch: "The patch cannot be read; the message has the line.",
    },
    permission: {
      executionPolicy: "ask-always",
      preview: ({ patch }, context) => previewChange(options, context, planOf(patch)),
    },
    compressArgs: ({ patch }) => patchedPaths(patch).join(", "),
    formatForLLM: formatChange,
    execute: ({ patch }, context) =>
      returnFileErrors(async () => {
        const files = parsePatch(patch);
        const change = await makeChange(options, context, planOf(patch));
        return changeResult(files.map(describe).join("\n"), change);
      }),
  });
}

function planOf(patch: string): Plan {
  return async (plan) => {
    const files = parsePatch(patch);
    return (await Promise.all(files.map((file) => operationsOf(file, plan)))).flat();
  };
}

async function operationsOf(
  file: FilePatch,
  { roots, owner }: ChangePlan,
): Promise<readonly Operation[]> {
  const { path } = file;
  if (file.type === "delete") return [{ do: "remove", path }];
  if (file.type === "add") {
    const content = Buffer.from(file.lines.map((line) => `${line}\n`).join(""));
    return [{ do: "write", path, content, expects: "new" }];
  }
  await using target = await openTarget(roots, path, {});
  const before = await readEdited(target, path);
  const content = decodeText(before, target.shown);
  const { hunks } = file;
  const job = { type: "patch", text: content.text, hunks, path: target.shown } as const;
  const text = await runEditJob(job, owner);
  const expects = { sha256: sha256(before) };
  return [
    { do: "write", path, content: encodeText({ ...content, text }), expects },
    ...(file.to === undefined ? [] : [{ do: "move" as const, from: path, to: file.to }]),
  ];
}

function describe(file: FilePatch): string {
  if (file.type === "add") return `Created ${file.path}.`;
  if (file.type === "delete") return `Removed ${file.path}.`;
  return file.to === undefined ? `Edited ${file.path}.` : `Edited ${file.path}, now ${file.to}.`;
}
