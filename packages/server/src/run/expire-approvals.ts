import { errorMessage } from "@capstan/core";
import type { RunService } from "./run-service.ts";

/** How long a timer may be; a question asked meanwhile lasts longer than this. */
const longestMs = 60 * 60 * 1_000;

/** Closes questions when their time is up; returns what ends that. One timer, set for the next. */
export function expireApprovals(runs: RunService, log: (line: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const arm = async (): Promise<void> => {
    const next = await runs.store.everyNextExpiry();
    if (stopped) return;
    const ms =
      next === undefined ? longestMs : Math.min(Math.max(next - Date.now(), 0) + 1, longestMs);
    timer = setTimeout(() => void sweep(), ms).unref();
  };
  const sweep = async (): Promise<void> => {
    try {
      await runs.expireApprovals();
      await arm();
    } catch (thrown) {
      log(`Approvals could not be expired: ${errorMessage(thrown)}`);
    }
  };
  void sweep();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
