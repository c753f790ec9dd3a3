import { defineToolGroup, type ToolGroup } from "@capstan/core";
import { resolve } from "node:path";
import { applyPatch } from "./apply-patch.ts";
import { copyFile } from "./copy-file.ts";
import { editRules } from "./edit-rules.ts";
import { editFile } from "./edit-file.ts";
import { makeDirectory } from "./make-directory.ts";
import { moveFile } from "./move-file.ts";
import type { EditToolsOptions } from "./change/open-target.ts";
import { removeFile } from "./remove-file.ts";
import { undo } from "./undo.ts";
import { writeFile } from "./write-file.ts";

/**
 * Tools that change files inside declared folders: `WriteFile`, `EditFile`, `ApplyPatch`,
 * `MoveFile`, `CopyFile`, `MakeDirectory`, `RemoveFile` and `Undo`. Each call makes all of its
 * changes or none, and can be undone for seven days.
 *
 * @example editTools({ roots: [{ path: process.cwd() }], changes: "/var/lib/capstan/changes" })
 */
export function editTools(options: EditToolsOptions): ToolGroup {
  const roots = options.roots.map(({ path }) => resolve(path));
  return defineToolGroup({
    name: "edit",
    title: "Edit files",
    description: `Changes files in ${roots.length === 0 ? "no folder" : roots.join(", ")}.`,
    tools: [
      writeFile(options),
      editFile(options),
      applyPatch(options),
      moveFile(options),
      copyFile(options),
      makeDirectory(options),
      removeFile(options),
      undo(options),
    ],
    rulePrompt:
      "View the lines before you edit them, and use EditFile for parts of a file. Each result names its change, which Undo can undo.",
    declareSkillRules: editRules,
  });
}
