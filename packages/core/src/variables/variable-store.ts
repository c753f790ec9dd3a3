import {
  argsEntry,
  infoOf,
  isKept,
  matchesSearch,
  type NewResultWithArgs,
  resultEntry,
  unitBytes,
  unitOf,
  variableEntry,
  type VariableEntry,
} from "./variable-entry.ts";
import { resultNameOf } from "./variable-name.ts";
import type { VariableFilter, VariableInfo, VariableType } from "./variable.ts";

/**
 * The entries of a variable system with their order of visits, the order of eviction, and the
 * totals. A result and its arguments are one unit in all that is counted and evicted.
 */
export class VariableStore {
  count = 0;
  bytes = 0;
  keptCount = 0;
  keptBytes = 0;
  /** By name, but for a result's arguments, which are found by their result. */
  readonly #placed = new Map<string, VariableEntry>();
  /**
   * New results, in order. They count towards the totals, and get their entries at the first lookup of a
   * name without an entry, or when the order of all entries is needed. Most results are never read, and
   * the garbage collection of their entries would add a third to the cost of a parallel call.
   */
  #fresh: NewResultWithArgs[] = [];
  /** The oldest visit first. */
  readonly #visits = new Set<VariableEntry>();
  readonly #eviction = new EvictionOrder<VariableEntry>();
  #visit = 0;

  get #entries(): Map<string, VariableEntry> {
    this.#placeFresh();
    return this.#placed;
  }

  get(name: string): VariableEntry | undefined {
    return this.#placed.get(name) ?? this.#entries.get(name) ?? this.#pairedArgs(name);
  }

  /** Returns a rule. Looks at no new results, which are never rules. */
  rule(name: string): VariableEntry | undefined {
    const entry = this.#placed.get(name);
    return entry?.type === "RULE" ? entry : undefined;
  }

  *names(): Iterable<string> {
    for (const { name, args } of this.#entries.values()) {
      yield name;
      if (args !== undefined) yield args.name;
    }
  }

  /** What fits the filter, the newest visit first. */
  list({ type, tag, search }: VariableFilter): readonly VariableInfo[] {
    this.#placeFresh();
    const words = search?.toLowerCase();
    return [...this.#visits]
      .toReversed()
      .filter(
        (entry) =>
          (type === undefined || entry.type === type) &&
          (tag === undefined || entry.tags.includes(tag)) &&
          (words === undefined || matchesSearch(entry, words)),
      )
      .map(infoOf);
  }

  /** All entries, the oldest visit first. */
  byVisit(): Iterable<VariableEntry> {
    this.#placeFresh();
    return this.#visits.values();
  }

  beginTurn(): void {
    this.#placeFresh();
    this.#eviction.beginTurn();
  }

  /** Returns the unit to evict next, or `undefined` if the host or a person keeps all of them. */
  nextToEvict(): VariableEntry | undefined {
    this.#placeFresh();
    return this.#eviction.next();
  }

  put(entry: VariableEntry): void {
    this.#entries.set(entry.name, entry);
    this.#join(entry);
    this.visit(entry);
  }

  /** Adds a new result with its arguments, as created in this turn. Neither name is taken. */
  putPair(pair: NewResultWithArgs): void {
    this.count += 1;
    this.bytes += pair.result.bytes + pair.args.bytes;
    this.#fresh.push(pair);
  }

  #placeFresh(): void {
    if (this.#fresh.length === 0) return;
    for (const pair of this.#fresh) {
      const result = resultEntry(pair);
      const args = argsEntry(pair);
      result.args = args;
      args.owner = result;
      this.#visit += 2;
      result.visit = args.visit = this.#visit;
      this.#placed.set(result.name, result);
      this.#visits.add(result).add(args);
      this.#eviction.create(result);
    }
    this.#fresh = [];
  }

  /** Returns an independent copy that shares the values, at the beginning of a turn. */
  copy(): VariableStore {
    const copy = new VariableStore();
    const copies = new Map<VariableEntry, VariableEntry>();
    for (const entry of this.byVisit()) {
      const own = variableEntry(entry);
      own.visit = entry.visit;
      copies.set(entry, own);
      copy.#visits.add(own);
      if (entry.owner === undefined) copy.#placed.set(own.name, own);
    }
    for (const [entry, own] of copies) {
      own.owner = entry.owner && copies.get(entry.owner);
      own.args = entry.args && copies.get(entry.args);
      // Of a pair the newer visit comes last, and counts.
      if (this.#eviction.has(unitOf(entry))) copy.#eviction.add(own.owner ?? own);
    }
    copy.#visit = this.#visit;
    copy.count = this.count;
    copy.bytes = this.bytes;
    copy.keptCount = this.keptCount;
    copy.keptBytes = this.keptBytes;
    return copy;
  }

  /** Takes an entry out; a partner that it was paired with stays. */
  take(entry: VariableEntry): void {
    this.#separate(entry);
    this.#entries.delete(entry.name);
    this.#visits.delete(entry);
    this.#eviction.delete(entry);
  }

  /** Changes fields of an entry and brings pairs, totals and orders in line. */
  change(entry: VariableEntry, change: () => void): void {
    this.#separate(entry);
    change();
    this.#join(entry);
  }

  /**
   * Makes an entry the most recent visit.
   *
   * @param created whether this turn created it
   */
  visit(entry: VariableEntry, created = false): void {
    this.#placeFresh();
    const unit = unitOf(entry);
    entry.visit = unit.visit = ++this.#visit;
    this.#visits.delete(entry);
    this.#visits.add(entry);
    if (isKept(unit)) return;
    if (created) this.#eviction.create(unit);
    else this.#eviction.visit(unit);
  }

  /** Whether a new entry of this size would find room once all that may go is gone. */
  hasRoom(bytes: number, capacity: number, maxBytes: number): boolean {
    return this.keptCount < capacity && this.keptBytes + bytes <= maxBytes;
  }

  /** Whether an entry of this name and size would find room once all that may go is gone. */
  fits(
    wanted: { name: string; type: VariableType; bytes: number },
    capacity: number,
    maxBytes: number,
  ): boolean {
    if (wanted.type === "RULE") return true;
    const entry = this.get(wanted.name);
    const former = entry?.owner ?? entry?.args;
    // As another type it leaves its partner, and may find one.
    const partner = entry?.type === wanted.type ? former : this.#partnerOf(wanted);
    const others = { count: this.keptCount, bytes: this.keptBytes };
    for (const unit of new Set([entry, partner].map((one) => one && unitOf(one)))) {
      if (unit === undefined || unit.type === "RULE" || !isKept(unit)) continue;
      others.count -= 1;
      others.bytes -= unitBytes(unit);
    }
    if (former !== partner && former?.keep === true) {
      others.count += 1;
      others.bytes += former.bytes;
    }
    const bytes = wanted.bytes + (partner?.bytes ?? 0);
    return others.count + 1 <= capacity && others.bytes + bytes <= maxBytes;
  }

  /** Pairs an entry with its partner, if there is one, and counts them. */
  #join(entry: VariableEntry): void {
    const partner = this.#partnerOf(entry);
    if (partner) {
      this.#add(partner, -1);
      const [result, args] = entry.type === "ToolCallArgs" ? [partner, entry] : [entry, partner];
      result.args = args;
      args.owner = result;
      this.#entries.delete(args.name);
      this.#eviction.delete(args);
    }
    this.#add(unitOf(entry), 1);
  }

  /** The reverse: a partner is counted by itself from here on. */
  #separate(entry: VariableEntry): void {
    const partner = entry.owner ?? entry.args;
    this.#add(unitOf(entry), -1);
    if (!partner) return;
    const args = entry.args ?? entry;
    this.#entries.set(args.name, args);
    for (const one of [entry, partner]) one.owner = one.args = undefined;
    this.#add(partner, 1);
  }

  /** Rules belong to the host: they have room beside whatever a session keeps. */
  #add(unit: VariableEntry, sign: 1 | -1): void {
    if (unit.type === "RULE") return this.#eviction.delete(unit);
    const bytes = sign * unitBytes(unit);
    this.count += sign;
    this.bytes += bytes;
    if (isKept(unit)) {
      this.keptCount += sign;
      this.keptBytes += bytes;
      this.#eviction.delete(unit);
    } else if (sign === 1 && !this.#eviction.has(unit)) {
      this.#eviction.visit(unit);
    }
  }

  #pairedArgs(name: string): VariableEntry | undefined {
    if (typeof name !== "string" || !name.endsWith("_args")) return undefined;
    return this.#entries.get(name.slice(0, -"_args".length))?.args;
  }

  #partnerOf(of: {
    readonly name: string;
    readonly type: VariableType;
  }): VariableEntry | undefined {
    if (of.type !== "ToolCallArgs" && of.type !== "ToolCallResult") return undefined;
    const name = resultNameOf(of.name);
    if (!name) return undefined;
    const wanted = of.type === "ToolCallArgs" ? "ToolCallResult" : "ToolCallArgs";
    if ((of.type === "ToolCallArgs") !== (name.part === "args")) return undefined;
    const partner = this.#entries.get(wanted === "ToolCallArgs" ? `${of.name}_args` : name.result);
    return partner?.type === wanted && partner.owner === undefined && partner.args === undefined
      ? partner
      : undefined;
  }
}

/**
 * Decides which unit is evicted next: the one with the least recent visit. Visits are numbered, so
 * that equal dates do not matter.
 *
 * Three sets in the order of visits: units that were last visited in earlier turns, that were visited
 * in this turn, and that were created in this turn. Units are evicted in that order, so that a turn
 * loses its own results only if nothing else is left.
 */
class EvictionOrder<T extends { readonly visit: number }> {
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
