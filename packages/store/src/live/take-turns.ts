/**
 * Creates a function that lets owners take turns, so that many reads of one owner do not delay the
 * reads of others.
 *
 * @param limit the maximum number of concurrent reads
 *
 * @example
 * const inTurn = takeTurns(4);
 * await inTurn(query.owner, () => readSlow(name, query));
 */
export function takeTurns(limit: number): <T>(owner: string, read: () => Promise<T>) => Promise<T> {
  /** The waiting reads by owner, in the order of the owners' turns. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function startNext(): void {
    const [next] = waiting;
    if (next === undefined || running >= limit) return;
    const [owner, reads] = next;
    const start = reads.shift();
    waiting.delete(owner);
    if (reads.length > 0) waiting.set(owner, reads);
    running += 1;
    start?.();
  }

  return async (owner, read) => {
    await new Promise<void>((resolve) => {
      const own = waiting.get(owner);
      if (own === undefined) waiting.set(owner, [resolve]);
      else own.push(resolve);
      startNext();
    });
    try {
      return await read();
    } finally {
      running -= 1;
      startNext();
    }
  };
}

/** Returns the owner of a query. Queries about all owners share one turn. */
export function ownerOf(query: object | undefined): string {
  return query !== undefined && "owner" in query ? String(query.owner) : "";
}
