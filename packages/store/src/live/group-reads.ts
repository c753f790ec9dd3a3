/**
 * Creates a function that lets the reads of a group run together, and the groups of an owner one after
 * another. Readers of one run share its decoded rows, which the cache cannot hold for many runs.
 *
 * @example
 * const inGroup = groupReads();
 * await inGroup(owner, runId, () => readPage({ owner, runId, after }));
 */
export function groupReads(): <T>(
  owner: string,
  group: string,
  read: () => Promise<T>,
) => Promise<T> {
  /** The reads that wait, by owner and group. An owner with an entry has a group that runs. */
  const waiting = new Map<string, Map<string, (() => Promise<void>)[]>>();

  async function runGroups(owner: string, groups: Map<string, (() => Promise<void>)[]>) {
    for (let next = first(groups); next !== undefined; next = first(groups)) {
      const [group, reads] = next;
      groups.delete(group);
      await Promise.all(reads.map((read) => read()));
    }
    waiting.delete(owner);
  }

  return (owner, group, read) =>
    new Promise((resolve, reject) => {
      const start = () => read().then(resolve, reject);
      const groups = waiting.get(owner);
      if (groups === undefined) {
        const own = new Map([[group, [start]]]);
        waiting.set(owner, own);
        void runGroups(owner, own);
      } else groups.set(group, [...(groups.get(group) ?? []), start]);
    });
}

function first<K, V>(map: ReadonlyMap<K, V>): readonly [K, V] | undefined {
  const [entry] = map;
  return entry;
}
