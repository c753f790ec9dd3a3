import { runInWarmProcess } from "../text/warm-process.ts";
import { type DataAnswer, DataProblem, tooBusy } from "./data-problem.ts";

/** A job for a process with limits. */
export interface LimitedJob {
  readonly module: URL;
  readonly input: unknown;
  readonly user: string;
  readonly signal: AbortSignal;
  /** The subject of error messages, for example "The expression". */
  readonly what: string;
}

const timeoutMs = 5_000;
const heapMb = 512;

/** Runs a job in a process. @throws DataProblem if it exceeds a limit */
export async function runInLimits<T>({
  module,
  input,
  user,
  signal,
  what,
}: LimitedJob): Promise<DataAnswer<T>> {
  const limits = { timeoutMs, heapMb };
  const outcome = await runInWarmProcess<DataAnswer<T>>({ module, input, user, signal, ...limits });
  if (outcome.status === "busy") throw tooBusy();
  if (outcome.status === "timed_out")
    throw new DataProblem("too_slow", `${what} took over ${timeoutMs / 1_000} s.`);
  // Messages of its libraries can contain paths of the server.
  if (outcome.status === "failed")
    throw new DataProblem("too_slow", `${what} needed too much memory, or failed.`);
  return outcome.value;
}
