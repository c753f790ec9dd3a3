import type { NodeRecord } from "../records/nodes.ts";

/**
 * Which nodes have been silent for too long, as one observer sees it: it counts from when it first
 * saw a number of beats, by its own steady clock. No two clocks are compared, and none may be set back.
 *
 * @example
 * const silent = watchNodes({ silentMs: 2_000, now: () => performance.now() });
 * for (const node of silent(await nodes.list())) await nodes.giveUp(node);
 */
export function watchNodes(options: {
  readonly silentMs: number;
  /** Milliseconds that only rise. */
  readonly now: () => number;
}): (nodes: readonly NodeRecord[]) => readonly NodeRecord[] {
  let seen = new Map<string, { readonly beats: number; readonly since: number }>();
  return (nodes) => {
    const now = options.now();
    const next: typeof seen = new Map();
    for (const { id, beats } of nodes) {
      const before = seen.get(id);
      next.set(id, before?.beats === beats ? before : { beats, since: now });
    }
    seen = next;
    return nodes.filter(({ id }) => now - (next.get(id)?.since ?? now) >= options.silentMs);
  };
}
