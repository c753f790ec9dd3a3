import { readFile } from "node:fs/promises";
import { FileError } from "../../files/file-roots.ts";
import type { Operation } from "./apply-operations.ts";
import type { ChangeFolder, ChangeRecord, ChangeStep } from "./change-record.ts";

/**
 * Returns the operations that undo a change. They fail if a file was changed since, so that no
 * later change is lost.
 *
 * @throws FileError `already_undone` or `not_complete`
 */
export async function undoOperations(
  change: ChangeRecord,
  folder: ChangeFolder,
): Promise<readonly Operation[]> {
  if (change.status === "undone")
    throw new FileError("already_undone", `${change.id} was undone already.`);
  if (change.status === "begun")
    throw new FileError(
      "not_complete",
      `${change.id} is not complete. Try again when it has ended.`,
    );
  return Promise.all(change.steps.toReversed().map((step) => undo(step, change, folder)));
}

async function undo(
  step: ChangeStep,
  change: ChangeRecord,
  folder: ChangeFolder,
): Promise<Operation> {
  switch (step.do) {
    case "write": {
      const { path, after, kept } = step;
      const expects = { sha256: after };
      if (kept === undefined) return { do: "remove", path, expects };
      return { do: "write", path, content: await readFile(folder.keptAt(change, kept)), expects };
    }
    case "remove":
      return { do: "restore", path: step.path, from: folder.keptAt(change, step.kept) };
    case "restore":
      return { do: "remove", path: step.path };
    case "move":
      return { do: "move", from: step.to, to: step.from };
    case "folder":
      return step.isImplied === true
        ? { do: "prune", path: step.path }
        : { do: "remove", path: step.path, expects: "empty" };
  }
}
