import { EvictionOrder } from "./eviction-order.ts";
import { type NewResultWithArgs, argsVariable, resultVariable } from "./result-variables.ts";
import { resultNameOf } from "./result-name.ts";
import type { VariableFilter } from "./variable-contract.ts";
import {
  evictionOf,
  infoOf,
  isKept,
  matchesSearch,
  unitBytes,
  unitOf,
  variableEntry,
  type VariableEntry,
} from "./variable-entry.ts";
import type { VariableInfo, VariableType } from "./variable.ts";
import { detach, VisitList, type VisitNode } from "./visit-list.ts";

/**
 * The entries of a variable system with their order of visits, the order of eviction, and the
 * totals. A result and its arguments are one unit in all that is counted and evicted.
 */
export class VariableStore {
  count = 0;
  bytes = 0;
  keptCount = 0;
  keptBytes = 0;
  /** Those that have a place; arguments that are paired are found by their result. */
  readonly #byName = new Map<string, VariableEntry>();
  /** Results that nobody has looked for since, in their order: most never are. They are counted as they come. */
  #fresh: NewResultWithArgs[] = [];
  readonly #visits = new VisitList<VariableEntry>();
  readonly #eviction = new EvictionOrder<VariableEntry>();
  #visit = 0;

  /** By name, each with its place. */
  get #entries(): Map<string, VariableEntry> {
    this.#placeFresh();
    return this.#byName;
  }

  get(name: string): VariableEntry | undefined {
    // What has its place is found without placing the others.
    return this.#byName.get(name) ?? this.#entries.get(name) ?? this.#pairedArgs(name);
  }

  /** A rule alone: results need not take their places for it. */
  rule(name: string): VariableEntry | undefined {
    const entry = this.#byName.get(name);
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
    const found: VariableInfo[] = [];
    for (let node = this.#visits.newest; node; node = node.older) {
      const entry = node.value;
      if (type !== undefined && entry.type !== type) continue;
      if (tag !== undefined && !entry.tags.includes(tag)) continue;
      if (words !== undefined && !matchesSearch(entry, words)) continue;
      found.push(infoOf(entry));
    }
    return found;
  }

  /** The oldest visit; the others follow by `newer`. */
  get oldest(): VisitNode<VariableEntry> | undefined {
    this.#placeFresh();
    return this.#visits.oldest;
  }

  beginTurn(): void {
    this.#placeFresh();
    this.#eviction.beginTurn();
  }

  /** The unit to go next, or undefined where all the rest is kept. */
  nextToEvict(): VariableEntry | undefined {
    this.#placeFresh();
    return this.#eviction.next();
  }

  put(entry: VariableEntry): void {
    this.#entries.set(entry.name, entry);
    this.#join(entry);
    this.visit(entry);
  }

  /** Puts a new result with its arguments, as made in this turn. Neither is kept yet. */
  putPair(pair: NewResultWithArgs): void {
    this.count += 1;
    this.bytes += pair.result.bytes + pair.args.bytes;
    this.#fresh.push(pair);
  }

  /** The same entries, with the same values, in a store of its own; all are of an earlier turn. */
  copy(): VariableStore {
    const copy = new VariableStore();
    const copies = new Map<VariableEntry, VariableEntry>();
    for (let node = this.oldest; node; node = node.newer) {
      const entry = node.value;
      const own = variableEntry(entry);
      own.visit = entry.visit;
      copies.set(entry, own);
      copy.#visits.push(own.order);
      if (entry.owner === undefined) copy.#byName.set(own.name, own);
    }
    for (const [entry, own] of copies) {
      own.owner = entry.owner && copies.get(entry.owner);
      own.args = entry.args && copies.get(entry.args);
      const unit = entry.owner ?? entry;
      // Of a pair the newer visit comes last, and counts.
      if (unit.eviction?.list) copy.#eviction.visit(evictionOf(own.owner ?? own));
    }
    copy.#eviction.beginTurn();
    copy.#visit = this.#visit;
    copy.count = this.count;
    copy.bytes = this.bytes;
    copy.keptCount = this.keptCount;
    copy.keptBytes = this.keptBytes;
    return copy;
  }

  /** What was put in since somebody last looked takes its place. */
  #placeFresh(): void {
    if (this.#fresh.length === 0) return;
    for (const pair of this.#fresh) {
      const result = variableEntry(resultVariable(pair));
      const args = variableEntry(argsVariable(pair));
      this.#byName.set(result.name, result);
      result.args = args;
      args.owner = result;
      this.#visit += 2;
      result.visit = args.visit = this.#visit;
      this.#visits.push(result.order);
      this.#visits.push(args.order);
      this.#eviction.made(evictionOf(result));
    }
    this.#fresh = [];
  }

  /** Takes an entry out; a partner that it was paired with stays. */
  take(entry: VariableEntry): void {
    this.#separate(entry);
    this.#entries.delete(entry.name);
    detach(entry.order);
    if (entry.eviction) detach(entry.eviction);
  }

  /** Changes fields of an entry and brings pairs, totals and orders in line. */
  change(entry: VariableEntry, change: () => void): void {
    this.#separate(entry);
    change();
    entry.info = undefined;
    entry.searchText = undefined;
    this.#join(entry);
  }

  /** Makes an entry the newest visit; with `made`, one that this turn has made. */
  visit(entry: VariableEntry, made = false): void {
    this.#placeFresh();
    const unit = unitOf(entry);
    entry.info = undefined;
    entry.visit = unit.visit = ++this.#visit;
    this.#visits.push(entry.order);
    if (isKept(unit)) return;
    if (made) this.#eviction.made(evictionOf(unit));
    else this.#eviction.visit(evictionOf(unit));
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
      if (args.eviction) detach(args.eviction);
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
    if (unit.type === "RULE") return detach(evictionOf(unit));
    const bytes = sign * unitBytes(unit);
    this.count += sign;
    this.bytes += bytes;
    if (isKept(unit)) {
      this.keptCount += sign;
      this.keptBytes += bytes;
      detach(evictionOf(unit));
    } else if (!unit.eviction?.list && sign === 1) {
      this.#eviction.visit(evictionOf(unit));
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
