import { runInWorker, workerModule } from "@capstan/sandbox";
import { type RegexBudget, type RegexJob, type RegexResult, runRegexJob } from "./regex-job.ts";

/** The time for which a pattern can block the event loop. */
const inline: RegexBudget = { timeMs: 50, steps: 5_000_000 };

export const regexTimeoutMs = 10_000;

/**
 * Runs a job with a pattern: a small job directly, others in a thread, which is stopped after ten
 * seconds. Never blocks the event loop for long.
 */
export async function runRegex(job: RegexJob, signal: AbortSignal): Promise<RegexResult> {
  const quick = runRegexJob(job, inline);
  if (quick.status !== "unfinished") return quick;
  const outcome = await runInWorker<RegexResult>({
    module: workerModule("regex-worker", import.meta.url),
    input: { job, budget: { timeMs: regexTimeoutMs, steps: Number.POSITIVE_INFINITY } },
    timeoutMs: regexTimeoutMs,
    signal,
  });
  return outcome.status === "done" ? outcome.value : { status: "unfinished" };
}
