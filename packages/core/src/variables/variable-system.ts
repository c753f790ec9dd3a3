import { type Clock, systemClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { ToolErrorData } from "../base/errors.ts";
import {
  callOf,
  type NewResult,
  argsEntry,
  resultEntry,
  measureResult,
  infoOf,
  variableEntry,
  type VariableEntry,
  variableOf,
} from "./variable-entry.ts";
import { type MissingName, missingVariableError } from "./missing-variable.ts";
import { resultNameOf, ResultNames } from "./variable-name.ts";
import {
  type MeasuredValue,
  descProblem,
  measureValue,
  noRoomFor,
  variableInputProblem,
} from "./variable-input.ts";
import type {
  KeepOptions,
  KeptResult,
  LoadedVariable,
  LoadOptions,
  RefusedVariable,
  RemoveOutcome,
  SetOutcome,
  VariableFilter,
  VariablePatch,
  VariableSource,
  VariableSystemOptions,
  Variable,
  VariableChange,
  VariableInfo,
  VariableType,
  VariableValue,
} from "./variable.ts";
import { VariableStore } from "./variable-store.ts";

const rememberedNames = 1000;

/**
 * A session's named values, bounded by count and by bytes. The least recently visited variable is
 * evicted first. Variables that the current turn created are evicted last, and variables with
 * `keep` never. Errors are returned as data. Do not change a value after you pass it in.
 *
 * @example
 * const variables = new VariableSystem();
 * variables.addVariable("notes", "buy milk", "USER_ADD");
 * variables.getVariable("notes")?.value.text; // "buy milk"
 */
export class VariableSystem {
  readonly capacity: number;
  readonly maxBytes: number;
  readonly maxValueBytes: number;
  /** The source of values that are not in memory; see `readBack`. */
  source: VariableSource | undefined;
  readonly #clock: Clock;
  #store = new VariableStore();
  /** The reasons why variables are missing, the oldest first. */
  readonly #missing = new Map<string, MissingName>();
  readonly #listeners = new Set<(change: VariableChange) => void>();
  readonly #results = new ResultNames((name) => this.#store.get(name) !== undefined);

  constructor(options: VariableSystemOptions = {}) {
    this.capacity = options.capacity ?? 1000;
    this.maxBytes = options.maxBytes ?? 256 * 1024 * 1024;
    this.maxValueBytes = options.maxValueBytes ?? 64 * 1024 * 1024;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns a system with these variables, the oldest visit first; see `load`. */
  static restore(
    variables: readonly LoadedVariable[],
    options: VariableSystemOptions = {},
  ): VariableSystem {
    const system = new VariableSystem(options);
    system.load(variables);
    return system;
  }

  /** The number of variables. A result and its arguments count as one; rules do not count. */
  get size(): number {
    return this.#store.count;
  }

  /** UTF-8 bytes of all values except rules. */
  get bytes(): number {
    return this.#store.bytes;
  }

  /** UTF-8 bytes of the values that are in memory, except rules. */
  get bytesInMemory(): number {
    return this.#store.byVisit().reduce((sum, { type, value, bytes }) => {
      const counts = value !== undefined && type !== "RULE";
      return counts ? sum + bytes : sum;
    }, 0);
  }

  /** The highest `n` of a result's name so far. */
  get resultCount(): number {
    return this.#results.count;
  }

  /**
   * Takes the next name of a result, `{tool}_{n}`: `n` counts the results of the session. The name
   * is taken permanently, even if no result is ever stored under it.
   */
  nameResult(tool: string): string {
    return this.#results.reserve(tool);
  }

  /** Continues the count after this name, which was created elsewhere. */
  countResult(name: string): void {
    this.#results.continueAfter(name);
  }

  /** Creates a variable or replaces its value. Keeps the description and tags if none are given. */
  addVariable(
    name: string,
    value: VariableValue | string,
    type: VariableType,
    desc?: string,
    tags?: readonly string[],
  ): SetOutcome {
    const patch = {
      value,
      type,
      ...(desc === undefined ? {} : { desc }),
      ...(tags === undefined ? {} : { tags }),
    };
    return this.updateVariable(name, patch);
  }

  /** Changes the given fields. Creates a missing variable if `value` and `type` are given. */
  updateVariable(name: string, patch: VariablePatch): SetOutcome {
    const changes: VariableChange[] = [];
    const outcome = this.#set(name, patch, changes);
    this.#announce(changes);
    return outcome;
  }

  /**
   * Returns a variable with its value, or `undefined` if there is none or its value is not in memory
   * (read it with a tool context's `readVariable`). This is a visit, which delays eviction, unless
   * `visit` is false, for example for a user interface.
   */
  getVariable(
    name: string,
    { visit = true }: { readonly visit?: boolean } = {},
  ): Variable | undefined {
    const entry = this.#find(name);
    if (!entry) return undefined;
    if (!visit) return variableOf(entry);
    entry.referenceCount += 1;
    entry.lastVisited = this.#clock.now();
    this.#store.visit(entry);
    return variableOf(entry);
  }

  /** Returns whether a variable exists and its value is in memory. */
  hasValue(name: string): boolean {
    return this.#find(name)?.value !== undefined;
  }

  /**
   * Adds the value of a variable that was loaded without one. Does nothing if the variable has a
   * value by now, or no longer exists.
   */
  addValue({ name, value, bytes }: Variable): void {
    const entry = this.#store.get(name);
    if (entry === undefined || entry.value !== undefined) return;
    const { length } = value.text;
    if (entry.bytes === bytes) Object.assign(entry, { value, length });
    else this.#store.change(entry, () => Object.assign(entry, { value, length, bytes }));
  }

  /** Drops a variable whose stored value is corrupt, unless it has a value in memory. */
  markCorrupt(name: string): void {
    const entry = this.#store.get(name);
    if (entry === undefined || entry.value !== undefined) return;
    this.#store.take(entry);
    this.#setMissing(name, { reason: "corrupt" });
  }

  /** Returns a variable's information, without a visit. */
  peekVariable(name: string): VariableInfo | undefined {
    const entry = this.#find(name);
    return entry && infoOf(entry);
  }

  /** Returns the variables, the newest visit first. */
  listVariables(filter: VariableFilter = {}): readonly VariableInfo[] {
    return this.#store.list(filter);
  }

  /**
   * Removes variables; removes a result together with its arguments. Reports rules, which are not
   * removed, and unknown names.
   */
  removeVariables(names: readonly string[]): RemoveOutcome {
    const changes: VariableChange[] = [];
    const removed: string[] = [];
    const failed: { name: string; reason: string }[] = [];
    for (const name of new Set(names)) {
      const entry = this.#find(name);
      if (!entry) failed.push({ name, reason: this.missingVariable(name).message });
      else if (entry.type === "RULE")
        failed.push({ name, reason: "It is a rule, which cannot be removed." });
      else {
        this.#drop(entry, "removed", changes);
        removed.push(name);
      }
    }
    this.#announce(changes);
    return { removed, failed };
  }

  /**
   * Stores a rule that the host declares. Does nothing if the same rule is stored already, because
   * each session declares its rules again.
   */
  setRule(name: string, text: string, desc: string): void {
    const known = this.#store.rule(name);
    const isThere = known?.desc === desc && known.value?.text === text;
    if (isThere && known.value?.data === undefined) return;
    this.addVariable(name, text, "RULE", desc);
  }

  /** Removes a rule that is no longer declared. Returns false if there is no such rule. */
  dropRule(name: string): boolean {
    const entry = this.#find(name);
    if (entry?.type !== "RULE") return false;
    const changes: VariableChange[] = [];
    this.#drop(entry, "removed", changes);
    this.#announce(changes);
    return true;
  }

  names(): readonly string[] {
    return [...this.#store.names()];
  }

  /** Returns the names of variables whose stored values are corrupt. */
  corruptNames(): readonly string[] {
    return [...this.#missing].flatMap(([name, { reason }]) => (reason === "corrupt" ? [name] : []));
  }

  /** Returns the error for a missing variable, with advice. */
  missingVariable(name: string): ToolErrorData {
    return missingVariableError(name, this.#becameOf(name), () => this.#store.names());
  }

  /**
   * Stores a call's result as `{tool}_{n}` (alias `{tool}_{n}_result`) and its arguments as
   * `{tool}_{n}_args`.
   *
   * @param value data that is not JSON is omitted, and only its text is stored
   */
  keepResult(
    tool: string,
    value: VariableValue,
    args: JsonObject,
    { desc, name, at = this.#clock.now() }: KeepOptions = {},
  ): KeptResult {
    const own = this.#results.given(name, tool);
    const names = { result: own, args: `${own}_args` };
    const { result, args: ownArgs } = measureResult(names, value, args, this.maxValueBytes);
    const refused =
      result.status === "refused"
        ? result.error
        : (descProblem(names.result, desc) ?? this.#newRoomProblem(names.result, result.bytes));
    if (refused || result.status === "refused") {
      for (const one of [names.result, names.args]) this.#setMissing(one, { reason: "not_kept" });
      return { ...names, ...(refused ? { refused } : {}) };
    }
    this.#keepPair({ names, result, desc, now: at }, ownArgs);
    return names;
  }

  /** Begins a new turn: variables of the last turn may now be evicted like all others. */
  beginTurn(): void {
    this.#store.beginTurn();
  }

  /** Calls `listener` after every change except visits. Returns a function that unsubscribes. */
  subscribe(listener: (change: VariableChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns all variables with values in memory, the oldest visit first, for `load`. */
  snapshot(): readonly Variable[] {
    return this.#store.byVisit().flatMap((entry) => variableOf(entry) ?? []);
  }

  /**
   * Loads stored variables, the oldest visit first. A variable without a value is listed and counted
   * like the others; `readBack` reads its value. Announces no additions, only evictions that make
   * room for them. The count of results continues after the highest `n`, including missing
   * results.
   *
   * @returns the variables that could not be loaded
   */
  load(
    variables: readonly LoadedVariable[],
    { gone = [], inUse = false }: LoadOptions = {},
  ): readonly RefusedVariable[] {
    const changes: VariableChange[] = [];
    const refused: RefusedVariable[] = [];
    for (const variable of variables) {
      const { name, value, bytes } = variable;
      const measured =
        value === undefined
          ? ({ status: "unread", bytes } as const)
          : measureValue(name, value, this.#limitOf(variable.type));
      const error =
        variableInputProblem(name, variable.desc, variable.tags) ??
        this.#takeIn(variable, { measured, inUse, changes });
      if (error) refused.push({ name, error });
    }
    for (const { name, ...missing } of gone) {
      this.#setMissing(name, missing);
      this.#results.continueAfter(name);
    }
    this.#announce(changes);
    return refused;
  }

  /**
   * Returns an independent copy without subscribers that shares the values and begins a new
   * turn.
   */
  fork(): VariableSystem {
    const { capacity, maxBytes, maxValueBytes } = this;
    const copy = new VariableSystem({ capacity, maxBytes, maxValueBytes, clock: this.#clock });
    copy.#store = this.#store.copy();
    for (const [name, missing] of this.#missing) copy.#missing.set(name, missing);
    copy.#results.continue(this.#results);
    return copy;
  }

  /** Finds the exact name first, then `{tool}_{n}_result` as an alias of `{tool}_{n}`. */
  #find(name: string): VariableEntry | undefined {
    const exact = this.#store.get(name);
    if (exact || typeof name !== "string" || !name.endsWith("_result")) return exact;
    const result = this.#store.get(resultNameOf(name)?.result ?? "");
    return result?.type === "ToolCallResult" ? result : undefined;
  }

  #becameOf(name: string): MissingName | undefined {
    if (this.#find(name) !== undefined) return { reason: "unread" };
    const result = resultNameOf(name)?.result ?? "";
    const known = this.#missing.get(name) ?? this.#missing.get(result);
    return known ?? (this.#results.isReserved(result) ? { reason: "no_result" } : undefined);
  }

  #set(name: string, patch: VariablePatch, changes: VariableChange[]): SetOutcome {
    const before = this.#store.get(name);
    const type = patch.type ?? before?.type;
    const input = patch.value ?? before?.value;
    if (type === undefined || input === undefined)
      return { status: "refused", error: this.missingVariable(name) };
    const problem =
      variableInputProblem(name, patch.desc, patch.tags) ?? this.#nameConflict(name, patch, before);
    if (problem) return { status: "refused", error: problem };
    const measured =
      before?.value === input
        ? { status: "measured" as const, value: before.value, bytes: before.bytes }
        : measureValue(name, input, this.#limitOf(type));
    if (measured.status === "refused") return measured;
    const full = this.#roomProblem(name, type, measured.bytes);
    if (full) return { status: "refused", error: full };

    const now = this.#clock.now();
    const fields = {
      type,
      value: measured.value,
      length: measured.value.text.length,
      bytes: measured.bytes,
      // A rule is never evicted.
      keep: type === "RULE" || (patch.keep ?? before?.keep ?? false),
      desc: patch.desc ?? before?.desc,
      tags: patch.tags === undefined ? (before?.tags ?? []) : [...new Set(patch.tags)],
      updated: now,
      lastVisited: now,
    };
    const entry = before ?? variableEntry({ name, ...fields, created: now, referenceCount: 0 });
    if (before) this.#store.change(before, () => Object.assign(before, fields));
    else this.#store.put(entry, true);
    this.#results.notice(name);
    this.#missing.delete(name);
    this.#store.visit(entry, true);
    this.#addSet(entry, changes);
    this.#makeRoom(changes);
    return { status: "set", variable: infoOf(entry) };
  }

  #limitOf(type: VariableType): number {
    return type === "RULE" ? Infinity : this.maxValueBytes;
  }

  /** A rule can only be changed as a rule, and no variable may hide a result's alias. */
  #nameConflict(
    name: string,
    patch: VariablePatch,
    before: VariableEntry | undefined,
  ): ToolErrorData | undefined {
    if (before?.type === "RULE" && patch.type !== "RULE") {
      const message = `${name} is a rule, which is read-only. Choose another name.`;
      return { code: "read_only_variable", message };
    }
    const alias = before === undefined ? this.#find(name) : undefined;
    if (alias === undefined) return undefined;
    const message = `${name} already names the result ${alias.name}. Choose another name.`;
    return { code: "invalid_variable_name", message };
  }

  /** Returns the error if there is no room for a new name that does not belong to a pair. */
  #newRoomProblem(name: string, bytes: number): ToolErrorData | undefined {
    return this.#store.hasRoom(bytes, this.capacity, this.maxBytes)
      ? undefined
      : this.#roomProblem(name, "ToolCallResult", bytes);
  }

  #roomProblem(name: string, type: VariableType, bytes: number): ToolErrorData | undefined {
    if (this.#store.fits({ name, type, bytes }, this.capacity, this.maxBytes)) return undefined;
    return noRoomFor(name, this);
  }

  #takeIn(
    variable: LoadedVariable,
    { measured, inUse, changes }: TakeInOptions,
  ): ToolErrorData | undefined {
    if (measured.status === "refused") return measured.error;
    const { name, type } = variable;
    const full = this.#roomProblem(name, type, measured.bytes);
    if (full) return full;
    const before = this.#store.get(name);
    if (before) this.#store.take(before);
    this.#results.notice(name);
    const keep = variable.keep || type === "RULE";
    const { bytes } = measured;
    const value = measured.status === "measured" ? measured.value : undefined;
    const length = value?.text.length ?? variable.length;
    const entry = variableEntry({ ...variable, keep, value, length, bytes });
    this.#store.put(entry, inUse);
    this.#missing.delete(name);
    if (type === "ToolCallResult" || type === "ToolCallArgs") this.#results.continueAfter(name);
    this.#makeRoom(changes);
    return undefined;
  }

  /** Omits arguments that are too large or do not fit. */
  #keepPair(kept: NewResult, args: MeasuredValue): void {
    const { names, result } = kept;
    const isPair =
      args.status === "measured" && !this.#newRoomProblem(names.result, result.bytes + args.bytes);
    if (isPair) this.#store.putPair({ ...kept, args });
    else {
      const entry = resultEntry(kept);
      this.#store.put(entry, true);
      this.#setMissing(names.args, { reason: "not_kept" });
    }
    this.#missing.delete(names.result);
    const changes: VariableChange[] = [];
    if (this.#listeners.size > 0) {
      this.#addSet(resultEntry(kept), changes);
      if (isPair) this.#addSet(argsEntry({ ...kept, args }), changes);
    }
    this.#makeRoom(changes);
    this.#announce(changes);
  }

  #addSet(entry: VariableEntry, changes: VariableChange[]): void {
    const variable = this.#listeners.size > 0 ? variableOf(entry) : undefined;
    if (variable !== undefined) changes.push({ type: "set", variable });
  }

  #makeRoom(changes: VariableChange[]): void {
    while (this.#store.count > this.capacity || this.#store.bytes > this.maxBytes) {
      const unit = this.#store.nextToEvict();
      if (!unit) return;
      this.#drop(unit, "evicted", changes);
    }
  }

  /** Removes a variable, or a result together with its arguments, and stores the reason. */
  #drop(entry: VariableEntry, reason: "evicted" | "removed", changes: VariableChange[]): void {
    const call = callOf(entry);
    const missing: MissingName = { reason, ...(call === undefined ? {} : { call }) };
    // Arguments are looked up by their result's name.
    this.#setMissing(entry.name, missing);
    for (const one of entry.args ? [entry, entry.args] : [entry]) {
      this.#store.take(one);
      if (this.#listeners.size > 0) changes.push({ type: "removed", name: one.name, reason });
    }
  }

  #setMissing(name: string, missing: MissingName): void {
    this.#missing.delete(name);
    this.#missing.set(name, missing);
    const [oldest] = this.#missing.keys();
    if (oldest !== undefined && this.#missing.size > rememberedNames) this.#missing.delete(oldest);
  }

  /** Announces after the change, so that listeners read the new state. */
  #announce(changes: readonly VariableChange[]): void {
    for (const change of changes) {
      for (const listener of this.#listeners) {
        try {
          listener(change);
        } catch {
          // An error in a listener must not undo the change, and other listeners must still be
          // called.
        }
      }
    }
  }
}

interface TakeInOptions {
  /** `unread`: the value is not in memory, and its stored size counts. */
  readonly measured: MeasuredValue | { readonly status: "unread"; readonly bytes: number };
  readonly inUse: boolean;
  readonly changes: VariableChange[];
}
