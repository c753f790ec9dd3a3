import { errorMessage } from "@capstan/core";
import type { RunService } from "./run-service.ts";

/** How long a timer may be; a question asked meanwhile lasts longer than this. */
const longestMs = 60 * 60 * 1_000;

/** After a sweep that failed. */
const againMs = 60 * 1_000;

/** Closes questions when their time is up; returns what ends that. One timer, set for the next. */
export function expireApprovals(
  runs: Pick<RunService, "store" | "expireApprovals">,
  log: (line: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sweep = async (): Promise<void> => {
    let ms = againMs;
    try {
      await runs.expireApprovals();
      const next = await runs.store.everyNextExpiry();
      ms = next === undefined ? longestMs : Math.min(Math.max(next - Date.now(), 0) + 1, longestMs);
    } catch (thrown) {
      if (!stopped) log(`Approvals could not be expired: ${errorMessage(thrown)}`);
    } finally {
      if (!stopped) timer = setTimeout(() => void sweep(), ms).unref();
    }
  };
  void sweep();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
