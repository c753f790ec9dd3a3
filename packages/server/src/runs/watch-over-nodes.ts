import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@capstan/core/host";
import { createFailureDetector } from "@capstan/store";
import type { RunService } from "./run-service.ts";

/**
 * Where nodes share a database: says every `beatMs` that this one lives, and takes up the runs of
 * those that have been silent for `silentMs` or handed them back. Returns what ends that. In one process it does nothing.
 */
export function watchOverNodes(options: {
  readonly runs: Pick<RunService, "store" | "sweep" | "lookAtAll">;
  /** A node is gone, silent or stopped, or may be: nobody has the deadlines any more that it knew of. */
  readonly onGone: () => void;
  readonly log: (line: string) => void;
  /** @default 500 */
  readonly beatMs?: number;
  /** @default 2000 */
  readonly silentMs?: number;
}): () => void {
  const { runs, onGone, log, beatMs = 500, silentMs = 2_000 } = options;
  const { nodes } = runs.store;
  if (nodes === undefined) return () => {};
  const stopped = new AbortController();
  let isSweeping = false;
  /** Who was there at the last look; undefined where that failed. */
  let known: ReadonlySet<string> | undefined = new Set();
  const silent = createFailureDetector({ silentMs, now: () => performance.now() });

  async function beat(): Promise<void> {
    if (!(await nodes?.heartbeat())) {
      log(
        "This node was given up by others, which have taken over its runs; it goes on with new ones.",
      );
      runs.lookAtAll();
    }
    const present = (await nodes?.list()) ?? [];
    const before = known;
    known = new Set(present.map(({ id }) => id));
    // Also where another gave it up, which may be gone itself before it has looked.
    if (before === undefined || !before.isSubsetOf(known)) onGone();
    for (const node of silent(present)) {
      if (node.id === nodes?.self || !(await nodes?.declareDead(node))) continue;
      log(`The node ${node.url ?? node.id} is silent: its runs are taken up.`);
    }
    if (!stopped.signal.aborted) sweep();
  }

  /**
   * Also what another gave up and did not get to, and what one that stopped handed back. Beside the
   * beats: who is busy with others' runs must not seem silent itself.
   */
  function sweep(): void {
    if (isSweeping) return;
    isSweeping = true;
    runs
      .sweep()
      .catch((thrown: unknown) => log(`Runs could not be taken up: ${errorMessage(thrown)}`))
      .finally(() => (isSweeping = false));
  }

  async function watch(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await beat();
      } catch (thrown) {
        known = undefined;
        if (!stopped.signal.aborted) log(`The other nodes cannot be seen: ${errorMessage(thrown)}`);
      }
      await sleep(beatMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }
  void watch();
  return () => stopped.abort();
}
