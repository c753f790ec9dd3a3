/** A place in a `VisitList`. A node is in at most one list. */
export interface VisitNode<T> {
  readonly value: T;
  list: VisitList<T> | undefined;
  older: VisitNode<T> | undefined;
  newer: VisitNode<T> | undefined;
}

export function visitNode<T>(value: T): VisitNode<T> {
  return { value, list: undefined, older: undefined, newer: undefined };
}

/** A doubly linked list from the oldest visit to the newest; every change is O(1). */
export class VisitList<T> {
  oldest: VisitNode<T> | undefined;
  newest: VisitNode<T> | undefined;

  /** Puts a node at the newest end, taking it out of the list it is in. */
  push(node: VisitNode<T>): void {
    detach(node);
    node.list = this;
    node.older = this.newest;
    if (this.newest) this.newest.newer = node;
    else this.oldest = node;
    this.newest = node;
  }
}

/** Takes a node out of the list that it is in, if any. */
export function detach<T>(node: VisitNode<T>): void {
  const { list, older, newer } = node;
  if (!list) return;
  if (older) older.newer = newer;
  else list.oldest = newer;
  if (newer) newer.older = older;
  else list.newest = older;
  node.list = undefined;
  node.older = undefined;
  node.newer = undefined;
}
