/**
 * Decides which unit is evicted next: the one with the least recent visit. Visits are numbered, so
 * that equal dates do not matter.
 *
 * Three sets in the order of visits: units that were last visited in earlier turns, that were visited
 * in this turn, and that were created in this turn. Units are evicted in that order, so that a turn
 * loses its own results only if nothing else is left.
 */
export class EvictionOrder<T extends { readonly visit: number }> {
  readonly #earlier = new Set<T>();
  readonly #visited = new Set<T>();
  readonly #created = new Set<T>();

  /** Makes a unit the most recent visit of earlier turns. */
  add(unit: T): void {
    this.delete(unit);
    this.#earlier.add(unit);
  }

  /** Makes a unit the most recent visit. A unit of this turn stays one. */
  visit(unit: T): void {
    const set = this.#created.has(unit) ? this.#created : this.#visited;
    this.delete(unit);
    set.add(unit);
  }

  /** Adds a unit as created in this turn, or marks it as such. */
  create(unit: T): void {
    this.delete(unit);
    this.#created.add(unit);
  }

  has(unit: T): boolean {
    return this.#earlier.has(unit) || this.#visited.has(unit) || this.#created.has(unit);
  }

  delete(unit: T): void {
    this.#earlier.delete(unit);
    this.#visited.delete(unit);
    this.#created.delete(unit);
  }

  next(): T | undefined {
    for (const set of [this.#earlier, this.#visited, this.#created])
      for (const unit of set) return unit;
    return undefined;
  }

  /** Begins a turn: units of the last turn are evicted in the order of their visits from now on. */
  beginTurn(): void {
    const units = [...this.#visited, ...this.#created].sort((a, b) => a.visit - b.visit);
    for (const unit of units) this.#earlier.add(unit);
    this.#visited.clear();
    this.#created.clear();
  }
}
