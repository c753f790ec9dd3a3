import { FileError } from "../../files/file-error.ts";
import { type Edit, findEdits, type FoundEdits } from "./apply-edits.ts";
import { type ChangedPart, diffPart } from "./diff-text.ts";
import type { Hunk } from "./parse-patch.ts";
import { patchText } from "./patch-text.ts";

// The process of long texts imports this file, so it must not import other packages of Capstan.

/**
 * A job on a text, which takes long if the text is long. It is plain data, so that a process can
 * run it.
 */
export type EditJob =
  | { readonly type: "edit"; readonly text: string; readonly edits: readonly Edit[] }
  | {
      readonly type: "patch";
      readonly text: string;
      readonly hunks: readonly Hunk[];
      readonly path: string;
    }
  | { readonly type: "diff"; readonly part: ChangedPart };

/** The results of the jobs, by type. */
export interface EditResults {
  readonly edit: FoundEdits;
  readonly patch: string;
  readonly diff: string;
}

/** The outcome of a job. It is plain data, so that a process can send it. */
export type EditOutcome =
  | { readonly status: "done"; readonly value: EditResults[keyof EditResults] }
  | { readonly status: "refused"; readonly code: string; readonly message: string };

/** Runs a job. @throws FileError */
export async function runHere(job: EditJob): Promise<EditResults[keyof EditResults]> {
  switch (job.type) {
    case "edit":
      return findEdits(job.text, job.edits);
    case "patch":
      return patchText(job.text, job.hunks, job.path);
    case "diff":
      return diffPart(job.part);
  }
}

/** Runs work, and returns its `FileError` as data. */
export async function outcomeOfEdit(
  work: () => Promise<EditResults[keyof EditResults]>,
): Promise<EditOutcome> {
  try {
    return { status: "done", value: await work() };
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    return { status: "refused", code: thrown.data.code, message: thrown.data.message };
  }
}
