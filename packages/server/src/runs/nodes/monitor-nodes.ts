import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@capstan/core/host";
import { createFailureDetector, type Store } from "@capstan/store";

/**
 * Writes this node's heartbeat every `beatMs`, and claims the runs of nodes that have been silent for
 * `silentMs` or handed them back. Does nothing if the nodes share no database.
 *
 * @returns a function that stops it
 */
export function monitorNodes(options: {
  readonly runs: {
    readonly store: Store;
    /** Claims orphaned and queued runs. */
    readonly sweep: () => Promise<void>;
    /** Refreshes every active run from the store. */
    readonly refreshAll: () => void;
  };
  /** Called when a node may be dead: another node must watch its deadlines. */
  readonly onNodeGone: () => void;
  /** Called once, when another node sends a heartbeat. The rows of crashed nodes do not count. */
  readonly onOtherNode?: () => void;
  readonly log: (line: string) => void;
  /** @default 500 */
  readonly beatMs?: number;
  /** @default 2000 */
  readonly silentMs?: number;
}): () => void {
  const { runs, onNodeGone, log, beatMs = 500, silentMs = 2_000 } = options;
  const { nodes } = runs.store;
  if (nodes === undefined) return () => {};
  const stopped = new AbortController();
  let isSweeping = false;
  /** The nodes at the last check; `undefined` if that failed. */
  let known: ReadonlySet<string> | undefined = new Set();
  /**
   * The heartbeats of other nodes at the last check; `undefined` after one of them has sent a
   * heartbeat.
   */
  let othersBeats: ReadonlyMap<string, number> | undefined = new Map();
  const silent = createFailureDetector({ silentMs, now: () => performance.now() });

  async function beat(): Promise<void> {
    if (!(await nodes?.heartbeat())) {
      log(
        "Other nodes declared this node dead and took over its runs; it continues with new ones.",
      );
      runs.refreshAll();
    }
    const present = (await nodes?.list()) ?? [];
    const before = known;
    known = new Set(present.map(({ id }) => id));
    // Also reports nodes that another node declared dead, because that other node could die before
    // it takes over the deadlines.
    if (before === undefined || !before.isSubsetOf(known)) onNodeGone();
    lookForOthers(present.filter(({ id }) => id !== nodes?.self));
    for (const node of silent(present)) {
      if (node.id === nodes?.self || !(await nodes?.declareDead(node))) continue;
      log(`The node ${node.url ?? node.id} is silent: its runs are claimed.`);
    }
    if (!stopped.signal.aborted) sweep();
  }

  function lookForOthers(others: Awaited<ReturnType<NonNullable<Store["nodes"]>["list"]>>): void {
    if (othersBeats === undefined) return;
    const earlier = othersBeats;
    const isAlive = others.some(({ id, beats }) => beats > (earlier.get(id) ?? beats));
    othersBeats = isAlive ? undefined : new Map(others.map(({ id, beats }) => [id, beats]));
    if (isAlive) options.onOtherNode?.();
  }

  /**
   * Also claims runs of nodes that another node declared dead, and runs that were handed back. Does
   * not delay the heartbeats: a node that is busy with claims must not seem silent.
   */
  function sweep(): void {
    if (isSweeping) return;
    isSweeping = true;
    runs
      .sweep()
      .catch((thrown: unknown) => log(`Runs could not be claimed: ${errorMessage(thrown)}`))
      .finally(() => (isSweeping = false));
  }

  async function watch(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await beat();
      } catch (thrown) {
        known = undefined;
        if (!stopped.signal.aborted) log(`Cannot read the list of nodes: ${errorMessage(thrown)}`);
      }
      await sleep(beatMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }
  void watch();
  return () => stopped.abort();
}
