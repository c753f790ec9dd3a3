import {
  argsEntry,
  infoOf,
  lastVisit,
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

/** Names and descriptions have fewer characters, so a longer text cannot be in them. */
const maxSearched = 10_000;

interface Candidate {
  readonly unit: VariableEntry;
  readonly visit: number;
  readonly phase: number;
}

/**
 * The entries of a variable system with their order of visits, and the totals. A result and its
 * arguments are one unit for counting and eviction.
 */
export class VariableStore {
  count = 0;
  bytes = 0;
  keptCount = 0;
  keptBytes = 0;
  /** Entries by name, except a result's arguments, which are found through their result. */
  readonly #entriesByName = new Map<string, VariableEntry>();
  /**
   * New results, in order. They are included in the totals. They get entries at the first lookup of
   * a name without an entry, or when the order of all entries is needed. Most results are never
   * read, and the garbage collection of their entries would add a third to the time of a parallel
   * call.
   */
  #newResults: NewResultWithArgs[] = [];
  /** The number of the last visit. */
  #visit = 0;
  /** The last visit before this turn. */
  #turnStart = 0;
  /**
   * Units in the order of eviction, the next one last. Units that were visited in the meantime are
   * skipped.
   */
  #toEvict: Candidate[] = [];
  /**
   * Whether a unit of an earlier turn was visited in this turn. Such units are evicted before the
   * units that this turn created.
   */
  #hasVisited = false;

  get #entries(): Map<string, VariableEntry> {
    this.#addNewResults();
    return this.#entriesByName;
  }

  get(name: string): VariableEntry | undefined {
    return this.#entriesByName.get(name) ?? this.#entries.get(name) ?? this.#pairedArgs(name);
  }

  /** Returns a rule. Skips the new results, which are never rules. */
  rule(name: string): VariableEntry | undefined {
    const entry = this.#entriesByName.get(name);
    return entry?.type === "RULE" ? entry : undefined;
  }

  *names(): Iterable<string> {
    for (const { name, args } of this.#entries.values()) {
      yield name;
      if (args !== undefined) yield args.name;
    }
  }

  /** Returns the variables that match the filter, the newest visit first. */
  list({ type, tag, search }: VariableFilter): readonly VariableInfo[] {
    if (search !== undefined && search.length > maxSearched) return [];
    const words = search?.toLowerCase();
    return this.byVisit()
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
  byVisit(): readonly VariableEntry[] {
    const entries = [...this.#entries.values()];
    const all = entries.flatMap((entry) =>
      entry.args === undefined ? entry : [entry, entry.args],
    );
    return all.sort((a, b) => a.visit - b.visit);
  }

  beginTurn(): void {
    this.#addNewResults();
    this.#turnStart = this.#visit;
    this.#toEvict = [];
  }

  /**
   * Returns the unit to evict next, or `undefined` if the host or a user keeps all of them. The
   * first units are those that were last visited in earlier turns, in the order of their visits.
   * Units visited in this turn follow, and then units created in this turn. So a turn loses its own
   * results only if there is nothing else to evict.
   */
  nextToEvict(): VariableEntry | undefined {
    for (;;) {
      const created = this.#toEvict.at(-1)?.phase === 2;
      if (this.#toEvict.length === 0 || (created && this.#hasVisited)) this.#orderEviction();
      const next = this.#toEvict.pop();
      if (next === undefined) return undefined;
      const { unit, visit } = next;
      const isThere = this.#entries.get(unit.name) === unit;
      if (isThere && !isKept(unit) && lastVisit(unit) === visit) return unit;
    }
  }

  #orderEviction(): void {
    this.#hasVisited = false;
    this.#toEvict = [...this.#entries.values()]
      .filter((unit) => unit.type !== "RULE" && !isKept(unit))
      .map((unit) => ({ unit, visit: lastVisit(unit), phase: this.#phase(unit) }))
      .sort((a, b) => b.phase - a.phase || b.visit - a.visit);
  }

  #phase(unit: VariableEntry): number {
    if (lastVisit(unit) <= this.#turnStart) return 0;
    return unit.createdVisit > this.#turnStart ? 2 : 1;
  }

  /** @param created whether this turn created it */
  put(entry: VariableEntry, created = false): void {
    this.#entries.set(entry.name, entry);
    this.#join(entry);
    this.visit(entry, created);
  }

  /**
   * Adds a new result with its arguments, as created in this turn. No variable may have either
   * name.
   */
  putPair(pair: NewResultWithArgs): void {
    this.count += 1;
    this.bytes += pair.result.bytes + pair.args.bytes;
    this.#newResults.push(pair);
  }

  #addNewResults(): void {
    if (this.#newResults.length === 0) return;
    for (const pair of this.#newResults) {
      const result = resultEntry(pair);
      const args = argsEntry(pair);
      result.args = args;
      args.owner = result;
      this.#visit += 1;
      result.visit = args.visit = result.createdVisit = this.#visit;
      this.#entriesByName.set(result.name, result);
    }
    this.#newResults = [];
  }

  /** Returns an independent copy that shares the values, at the beginning of a turn. */
  copy(): VariableStore {
    const copy = new VariableStore();
    for (const entry of this.#entries.values()) {
      const own = variableEntry(entry);
      copy.#entriesByName.set(own.name, own);
      if (entry.args === undefined) continue;
      own.args = variableEntry(entry.args);
      own.args.owner = own;
    }
    copy.#turnStart = this.#visit;
    copy.#visit = this.#visit;
    copy.count = this.count;
    copy.bytes = this.bytes;
    copy.keptCount = this.keptCount;
    copy.keptBytes = this.keptBytes;
    return copy;
  }

  /** Removes an entry, but not its partner. */
  take(entry: VariableEntry): void {
    this.#separate(entry);
    this.#entries.delete(entry.name);
  }

  /** Changes fields of an entry, and updates pairs, totals and orders. */
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
    this.#addNewResults();
    entry.visit = ++this.#visit;
    const unit = unitOf(entry);
    if (created) unit.createdVisit = this.#visit;
    else this.#hasVisited ||= unit.createdVisit <= this.#turnStart;
  }

  /** Whether a new entry of this size would fit after all possible evictions. */
  hasRoom(bytes: number, capacity: number, maxBytes: number): boolean {
    return this.keptCount < capacity && this.keptBytes + bytes <= maxBytes;
  }

  /** Whether an entry of this name and size would fit after all possible evictions. */
  fits(
    wanted: { name: string; type: VariableType; bytes: number },
    capacity: number,
    maxBytes: number,
  ): boolean {
    if (wanted.type === "RULE") return true;
    const entry = this.get(wanted.name);
    const former = entry?.owner ?? entry?.args;
    // With another type, the entry loses its partner and may get a new one.
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
    }
    this.#add(unitOf(entry), 1);
  }

  /** Splits a pair: afterwards the partner is a separate unit. */
  #separate(entry: VariableEntry): void {
    const partner = entry.owner ?? entry.args;
    this.#add(unitOf(entry), -1);
    if (!partner) return;
    const args = entry.args ?? entry;
    this.#entries.set(args.name, args);
    for (const one of [entry, partner]) one.owner = one.args = undefined;
    this.#add(partner, 1);
  }

  /** Rules belong to the host, so they do not count towards the limits of a session's variables. */
  #add(unit: VariableEntry, sign: 1 | -1): void {
    if (unit.type === "RULE") return;
    const bytes = sign * unitBytes(unit);
    this.count += sign;
    this.bytes += bytes;
    if (!isKept(unit)) return;
    this.keptCount += sign;
    this.keptBytes += bytes;
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
