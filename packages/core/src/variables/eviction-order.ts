import { detach, VisitList, type VisitNode } from "./visit-list.ts";

/**
 * Who goes next when room is needed: the least recent visit, by a counter and never by dates.
 *
 * Three lists, each ordered by visit, make that O(1): what was last visited before this turn,
 * what was visited in it, and what was made in it. They are taken from in that order, so a turn
 * never loses what it has just made while anything else can go.
 */
export class EvictionOrder<T extends { readonly visit: number }> {
  readonly #earlier = new VisitList<T>();
  readonly #visited = new VisitList<T>();
  readonly #made = new VisitList<T>();

  /** Notes a visit. What was made in this turn stays so. */
  visit(node: VisitNode<T>): void {
    (node.list === this.#made ? this.#made : this.#visited).push(node);
  }

  /** Notes that a value was made, in this turn. */
  made(node: VisitNode<T>): void {
    this.#made.push(node);
  }

  remove(node: VisitNode<T>): void {
    detach(node);
  }

  isMadeThisTurn(node: VisitNode<T>): boolean {
    return node.list === this.#made;
  }

  next(): T | undefined {
    return (this.#earlier.oldest ?? this.#visited.oldest ?? this.#made.oldest)?.value;
  }

  /** A new turn begins: what the last one visited and made joins the rest, merged by visit. */
  beginTurn(): void {
    for (;;) {
      const visited = this.#visited.oldest;
      const made = this.#made.oldest;
      const node =
        visited && made
          ? visited.value.visit < made.value.visit
            ? visited
            : made
          : (visited ?? made);
      if (!node) return;
      this.#earlier.push(node);
    }
  }
}
