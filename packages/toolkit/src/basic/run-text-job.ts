import { type JsonValue, type ToolError, toolError } from "@capstan/core";
import { workerModule } from "@capstan/sandbox";
import { runInWarmProcess } from "../text/warm-process.ts";
import { runTextOperation, type TextJob } from "./run-text-operation.ts";
import { outcomeOf, type TextOutcome } from "./text-problem.ts";

/** A job on one text. It is plain data, so that a process can run it. */
export type LongTextJob =
  | { readonly type: "operation"; readonly args: TextJob }
  | { readonly type: "interfaces"; readonly json: string; readonly name: string };

/** Longer texts, in characters, are processed in another process. */
const longestInline = 20_000;
const timeoutMs = 20_000;
const heapMb = 1_024;

/**
 * Runs a job on a text: directly if the text is short, otherwise in a process, because the event
 * loop and the memory of the server are shared.
 */
export async function runTextJob(
  job: LongTextJob,
  { user, signal }: { readonly user: string; readonly signal: AbortSignal },
): Promise<JsonValue | ToolError> {
  const outcome = lengthOf(job) <= longestInline ? await runHere(job) : undefined;
  if (outcome !== undefined) return resultOf(outcome);
  const limits = { timeoutMs, heapMb };
  const module = workerModule("text-process", import.meta.url);
  const ended = await runInWarmProcess<TextOutcome<JsonValue>>({
    module,
    input: job,
    user,
    signal,
    ...limits,
  });
  switch (ended.status) {
    case "done":
      return resultOf(ended.value);
    case "busy":
      return toolError({
        code: "busy",
        message: "Too many long texts are in the queue. Call again in a moment.",
        retryable: true,
      });
    case "timed_out":
    case "failed":
      return toolError({
        code: "text_too_long",
        message: `The text has ${lengthOf(job).toLocaleString("en-US")} characters, which take more than ${timeoutMs / 1_000} s or ${heapMb} MB. Process a part of it.`,
      });
  }
}

async function runHere(job: LongTextJob): Promise<TextOutcome<JsonValue>> {
  if (job.type === "operation") return outcomeOf(() => runTextOperation(job.args));
  const { interfacesOf } = await import("./interfaces-of.ts");
  return outcomeOf(() => interfacesOf(job.json, job.name));
}

function resultOf(outcome: TextOutcome<JsonValue>): JsonValue | ToolError {
  if (outcome.status === "done") return outcome.value;
  return toolError({ code: outcome.code, message: outcome.message });
}

function lengthOf(job: LongTextJob): number {
  if (job.type === "interfaces") return job.json.length;
  const { text, replacement = "" } = job.args;
  // A replacement can be inserted at each character.
  return job.args.operation === "replace" ? text.length * (1 + replacement.length) : text.length;
}
