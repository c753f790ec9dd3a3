import type { NodeRecord } from "../records/nodes.ts";

/**
 * Creates a function that returns the nodes without a heartbeat for `silentMs`. It measures from
 * its first observation of a node's current count of heartbeats, by its own monotonic clock. It
 * never compares the clocks of different nodes.
 *
 * @example
 * const silent = createFailureDetector({ silentMs: 2_000, now: () => performance.now() });
 * for (const node of silent(await store.nodes.list())) await store.nodes.declareDead(node);
 */
export function createFailureDetector(options: {
  readonly silentMs: number;
  /** A monotonic time in ms. */
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
