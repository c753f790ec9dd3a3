/** For each file the files that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the groups of files that all import each other, directly or through others (strongly
 * connected components, found with Tarjan's algorithm). Files on no cycle are left out.
 */
export function connectedFiles(graph: ImportGraph): readonly ReadonlySet<string>[] {
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const groups: ReadonlySet<string>[] = [];

  /** Returns the lowest index on the stack that the file reaches. */
  const visit = (file: string): number => {
    const index = indexes.size;
    let lowest = index;
    indexes.set(file, index);
    stack.push(file);
    open.add(file);
    for (const next of graph.get(file) ?? []) {
      if (!indexes.has(next)) lowest = Math.min(lowest, visit(next));
      else if (open.has(next)) lowest = Math.min(lowest, indexes.get(next) ?? lowest);
    }
    if (lowest === index) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) open.delete(member);
      if (group.length > 1) groups.push(new Set(group));
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!indexes.has(file)) visit(file);
  return groups;
}

/**
 * Returns the shortest chain of imports from one file to another, both included, or undefined if
 * there is none.
 */
export function shortestChain(
  graph: ImportGraph,
  from: string,
  to: string,
): readonly string[] | undefined {
  const importers = new Map<string, string | undefined>([[from, undefined]]);
  for (const file of importers.keys()) {
    if (file === to) {
      const chain: string[] = [];
      for (let at: string | undefined = to; at !== undefined; at = importers.get(at))
        chain.unshift(at);
      return chain;
    }
    for (const next of graph.get(file) ?? []) if (!importers.has(next)) importers.set(next, file);
  }
  return undefined;
}
