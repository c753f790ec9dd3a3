import { workerModule } from "@capstan/sandbox";
import { patternLimitProblem } from "./pattern-limit.ts";
import { runInWarmProcess } from "./warm-process.ts";
import { type RegexBudget, type RegexJob, type RegexResult, runRegexJob } from "./regex-job.ts";

/** The limit for a pattern that runs in this process and blocks the event loop. */
const inline: RegexBudget = { timeMs: 50, steps: 5_000_000 };

export const regexTimeoutMs = 10_000;

const heapMb = 512;

/**
 * Runs a job with a pattern: a small job directly, and others in a process, which is stopped after
 * ten seconds. So the event loop is never blocked for long.
 *
 * @param options.user the owner of the job; the queue alternates between users
 */
export async function runRegex(
  job: RegexJob,
  { signal, user }: { readonly signal: AbortSignal; readonly user?: string | undefined },
): Promise<RegexResult> {
  const problem = patternLimitProblem(job.pattern);
  if (problem !== undefined) return { status: "invalid", message: problem };
  const quick = runRegexJob(job, inline);
  if (quick.status !== "unfinished") return quick;
  const outcome = await runInWarmProcess<RegexResult>({
    module: workerModule("regex-process", import.meta.url),
    input: { job, budget: { timeMs: regexTimeoutMs, steps: Number.POSITIVE_INFINITY } },
    timeoutMs: regexTimeoutMs,
    heapMb,
    user,
    signal,
  });
  return outcome.status === "done" ? outcome.value : { status: "unfinished" };
}
