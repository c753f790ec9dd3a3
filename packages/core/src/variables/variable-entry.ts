import type { JsonObject } from "../base/json.ts";
import { resultNameOf } from "./variable-name.ts";
import { type MeasuredValue, measureValue } from "./variable-input.ts";
import type { Variable, VariableValue, VariableInfo, VariableType } from "./variable.ts";
import type { Mutable } from "../base/mutable.ts";

/** A variable as the system stores it. Readers get copies of its fields. */
export interface VariableEntry {
  readonly name: string;
  type: VariableType;
  desc: string | undefined;
  tags: readonly string[];
  keep: boolean;
  /** Undefined if the value is only in the system's source. */
  value: VariableValue | undefined;
  /** Characters of the text. */
  length: number;
  bytes: number;
  created: number;
  updated: number;
  lastVisited: number;
  referenceCount: number;
  /** The number of its last visit, which determines the order of eviction. */
  visit: number;
  /** The number of the visit that created it or set its value. */
  createdVisit: number;
  /** The arguments of a result, which are added and evicted with it. */
  args: VariableEntry | undefined;
  /** The result that these arguments belong to. */
  owner: VariableEntry | undefined;
}

/** The fields of a new entry. */
export type EntryFields = Omit<VariableInfo, "desc"> & {
  readonly value: VariableValue | undefined;
  readonly desc?: string | undefined;
  readonly visit?: number;
};

/** Returns a new entry that is not in a pair. */
export function variableEntry({ visit = 0, ...fields }: EntryFields): VariableEntry {
  const { desc } = fields;
  return { ...fields, desc, visit, createdVisit: 0, args: undefined, owner: undefined };
}

/**
 * Returns the unit of counting and eviction: a variable, or a result together with its arguments.
 */
export function unitOf(entry: VariableEntry): VariableEntry {
  return entry.owner ?? entry;
}

/** Returns the size of a unit in bytes. */
export function unitBytes(unit: VariableEntry): number {
  return unit.bytes + (unit.args?.bytes ?? 0);
}

/** Returns the number of a unit's last visit. */
export function lastVisit(unit: VariableEntry): number {
  return Math.max(unit.visit, unit.args?.visit ?? 0);
}

/** Returns whether `keep` excludes a unit from eviction. */
export function isKept(unit: VariableEntry): boolean {
  return unit.keep || unit.args?.keep === true;
}

/** Returns a variable's information without its value. */
export function infoOf(entry: EntryFields): VariableInfo {
  const info: Mutable<VariableInfo> = {
    name: entry.name,
    type: entry.type,
    tags: entry.tags,
    keep: entry.keep,
    length: entry.length,
    bytes: entry.bytes,
    created: entry.created,
    updated: entry.updated,
    lastVisited: entry.lastVisited,
    referenceCount: entry.referenceCount,
  };
  if (entry.desc !== undefined) info.desc = entry.desc;
  return info;
}

/** Returns an entry as a variable for readers, or `undefined` if its value is not in memory. */
export function variableOf(entry: EntryFields): Variable | undefined {
  const { value } = entry;
  return value && { ...infoOf(entry), value };
}

/** Returns whether the name or the description contains `search`, which is in lower case. */
export function matchesSearch({ name, desc = "" }: VariableEntry, search: string): boolean {
  return `${name}\n${desc}`.toLowerCase().includes(search);
}

const shownArguments = 200;
const noTags: readonly string[] = [];

/**
 * Measures the two values of a stored result. Omits data that is not JSON if the text can replace
 * it.
 */
export function measureResult(
  names: { readonly result: string; readonly args: string },
  value: VariableValue,
  args: JsonObject,
  limit: number,
): { result: MeasuredValue; args: MeasuredValue } {
  const whole = measureValue(names.result, value, limit);
  const result =
    whole.status === "refused" && value.data !== undefined
      ? measureValue(names.result, { text: value.text }, limit)
      : whole;
  return { result, args: measureValue(names.args, { text: jsonText(args), data: args }, limit) };
}

type Measured = Pick<Extract<MeasuredValue, { readonly status: "measured" }>, "value" | "bytes">;

/** A call's result, before it has an entry. */
export interface NewResult {
  readonly names: { readonly result: string; readonly args: string };
  readonly result: Measured;
  readonly desc: string | undefined;
  readonly now: number;
}

/** A call's result and arguments, before they have entries. */
export interface NewResultWithArgs extends NewResult {
  readonly args: Measured;
}

/** Returns the entry of a new result. */
export function resultEntry({ names, result, desc, now }: NewResult): VariableEntry {
  return newEntry(names.result, "ToolCallResult", result, now, desc);
}

/** Returns the entry of a new result's arguments. */
export function argsEntry({ names, args, now }: NewResultWithArgs): VariableEntry {
  return newEntry(names.args, "ToolCallArgs", args, now, undefined);
}

function newEntry(
  name: string,
  type: "ToolCallResult" | "ToolCallArgs",
  { value, bytes }: Measured,
  now: number,
  desc: string | undefined,
): VariableEntry {
  return variableEntry({
    name,
    type,
    desc,
    tags: noTags,
    keep: false,
    value,
    length: value.text.length,
    bytes,
    created: now,
    updated: now,
    lastVisited: now,
    referenceCount: 0,
  });
}

/** Returns an empty text if the value is not JSON: its data is then rejected. */
function jsonText(args: JsonObject): string {
  try {
    return JSON.stringify(args);
  } catch {
    return "";
  }
}

/** Returns the call of a result or its arguments, for a model to repeat. */
export function callOf(entry: VariableEntry): string | undefined {
  const unit = unitOf(entry);
  const name = unit.type === "ToolCallResult" ? resultNameOf(unit.name) : undefined;
  if (!name) return undefined;
  const args = unit.args?.value?.text;
  if (args === undefined) return name.tool;
  return `${name.tool}(${args.length > shownArguments ? `${args.slice(0, shownArguments)}…` : args})`;
}
