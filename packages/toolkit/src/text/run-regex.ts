import { runInWorker, workerModule } from "@capstan/sandbox";
import { type RegexBudget, type RegexJob, type RegexResult, runRegexJob } from "./regex-job.ts";

/** What the event loop may be kept for: a blink, whatever the pattern is. */
const inline: RegexBudget = { timeMs: 50, steps: 5_000_000 };

export const regexTimeoutMs = 10_000;

/**
 * Does a job with a pattern: small ones at once, others in a thread of their own, where they are
 * stopped after ten seconds. Never keeps the event loop, and never hangs.
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
