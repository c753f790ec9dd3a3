import type { SlowRead } from "./slow-reads.ts";
import { startThread, type Thread } from "./thread.ts";

/** A thread for slow reads that starts with the first read, and again if it has died. */
export interface SlowReader {
  /** @throws CapstanError the read's error, or the reason why the thread died */
  read(read: SlowRead): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Returns a reader whose thread is `reader-thread` next to the caller's file.
 *
 * @param caller the caller's `import.meta.url`
 */
export function slowReader(caller: string, workerData: unknown): SlowReader {
  let thread: Thread<SlowRead, unknown> | undefined;
  function start(): Thread<SlowRead, unknown> {
    const started = startThread<SlowRead, unknown>("reader-thread", caller, workerData);
    void started.died.then(() => (thread = undefined));
    return started;
  }
  return {
    read: async (read) => {
      thread ??= start();
      const found = await thread.ask(read);
      // No read returns a plain text, so a text is JSON.
      return typeof found === "string" ? (JSON.parse(found) as unknown) : found;
    },
    stop: async () => thread?.stop(),
  };
}
