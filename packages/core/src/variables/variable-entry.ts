import type { Mutable } from "../base/mutable.ts";
import type { Variable, VariableInfo, VariableType, VariableValue } from "./variable.ts";
import { visitNode, type VisitNode } from "./visit-list.ts";

/** A variable as the system holds it. What a reader gets are copies of its fields. */
export interface VariableEntry {
  readonly name: string;
  type: VariableType;
  desc: string | undefined;
  tags: readonly string[];
  keep: boolean;
  value: VariableValue;
  bytes: number;
  created: number;
  updated: number;
  lastVisited: number;
  referenceCount: number;
  /** Counts up with every visit; decides who is evicted. */
  visit: number;
  readonly order: VisitNode<VariableEntry>;
  /** Absent until it is a unit of its own; see `evictionOf`. */
  eviction: VisitNode<VariableEntry> | undefined;
  /** A result's arguments, which come and go with it. */
  args: VariableEntry | undefined;
  /** The result that these arguments belong to. */
  owner: VariableEntry | undefined;
  /** Made when first asked for; forgotten at a change. */
  info: VariableInfo | undefined;
  searchText: string | undefined;
}

export type EntryFields = Omit<Variable, "length" | "desc"> & {
  readonly desc?: string | undefined;
};

export function variableEntry(fields: EntryFields): VariableEntry {
  const entry: Unlisted = {
    name: fields.name,
    type: fields.type,
    desc: fields.desc,
    tags: fields.tags,
    keep: fields.keep,
    value: fields.value,
    bytes: fields.bytes,
    created: fields.created,
    updated: fields.updated,
    lastVisited: fields.lastVisited,
    referenceCount: fields.referenceCount,
    visit: 0,
    order: undefined,
    eviction: undefined,
    args: undefined,
    owner: undefined,
    info: undefined,
    searchText: undefined,
  };
  // It points back at the entry, so it comes last.
  entry.order = visitNode(entry as VariableEntry);
  return entry as VariableEntry;
}

type Unlisted = Omit<VariableEntry, "order"> & {
  order: VisitNode<VariableEntry> | undefined;
};

/** A unit's place in the order of eviction. */
export function evictionOf(unit: VariableEntry): VisitNode<VariableEntry> {
  return (unit.eviction ??= visitNode(unit));
}

/** What is counted and evicted as one: a variable, or a result together with its arguments. */
export function unitOf(entry: VariableEntry): VariableEntry {
  return entry.owner ?? entry;
}

export function unitBytes(unit: VariableEntry): number {
  return unit.bytes + (unit.args?.bytes ?? 0);
}

export function isKept(unit: VariableEntry): boolean {
  return unit.keep || unit.args?.keep === true;
}

export function infoOf(entry: VariableEntry): VariableInfo {
  if (entry.info === undefined) {
    const { value: _value, ...info } = variableOf(entry);
    entry.info = info;
  }
  return entry.info;
}

export function variableOf(entry: EntryFields): Variable {
  const variable: Mutable<Variable> = {
    name: entry.name,
    type: entry.type,
    tags: entry.tags,
    keep: entry.keep,
    length: entry.value.text.length,
    bytes: entry.bytes,
    created: entry.created,
    updated: entry.updated,
    lastVisited: entry.lastVisited,
    referenceCount: entry.referenceCount,
    value: entry.value,
  };
  if (entry.desc !== undefined) variable.desc = entry.desc;
  return variable;
}

/** Whether a search (in lower case) is found in the name or the description. */
export function matchesSearch(entry: VariableEntry, search: string): boolean {
  entry.searchText ??= `${entry.name}\n${entry.desc ?? ""}`.toLowerCase();
  return entry.searchText.includes(search);
}
