import { workerModule } from "@capstan/sandbox";
import { FileError } from "../../files/file-error.ts";
import { runInWarmProcess } from "../../text/warm-process.ts";
import { changedLines, changedPart } from "./diff-text.ts";
import { isQuickEdit } from "./is-quick-edit.ts";
import { type EditJob, type EditOutcome, type EditResults, runHere } from "./edit-job.ts";

/** Longer texts, in characters, are edited in another process, except by quick edits. */
const longestInline = 200_000;
/**
 * Texts with more changed lines are compared in another process. The time grows with their square.
 */
const mostLines = 400;
const timeoutMs = 30_000;
const heapMb = 1_024;

interface JobOwner {
  /**
   * The owner of the job. The queue alternates between users. @default one user for all such jobs
   */
  readonly user?: string;
  /** @default never aborts */
  readonly signal?: AbortSignal;
}

/**
 * Returns the changes of a text as `diffText` does, or `undefined` if there are none. Many changed
 * lines are compared in a process.
 *
 * @throws FileError
 */
export async function runDiff(
  before: string,
  after: string,
  owner?: JobOwner,
): Promise<string | undefined> {
  if (before === after) return undefined;
  return runEditJob({ type: "diff", part: changedPart(before, after) }, owner);
}

/**
 * Runs a job on a text: directly if it is short, otherwise in a process. Previews run without an
 * approval, so a long job must not block the event loop for other users.
 *
 * @throws FileError
 */
export async function runEditJob<T extends EditJob["type"]>(
  job: EditJob & { readonly type: T },
  { user, signal = new AbortController().signal }: JobOwner = {},
): Promise<EditResults[T]> {
  if (!isLong(job)) return (await runHere(job)) as EditResults[T];
  const limits = { timeoutMs, heapMb };
  const module = workerModule("edit-process", import.meta.url);
  const ended = await runInWarmProcess<EditOutcome>({
    module,
    input: job,
    user,
    signal,
    ...limits,
  });
  if (ended.status === "busy")
    throw new FileError("busy", "Too many long texts are in the queue. Call again in a moment.");
  if (ended.status !== "done")
    throw new FileError(
      "too_large",
      `The text takes more than ${timeoutMs / 1_000} s or ${heapMb} MB. Change less at a time.`,
    );
  if (ended.value.status === "refused") throw new FileError(ended.value.code, ended.value.message);
  return ended.value.value as EditResults[T];
}

function isLong(job: EditJob): boolean {
  if (job.type === "diff") return changedLines(job.part) > mostLines;
  if (job.text.length <= longestInline) return false;
  return job.type !== "edit" || !isQuickEdit(job.text, job.edits);
}
