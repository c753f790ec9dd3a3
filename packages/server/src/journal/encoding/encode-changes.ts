import type { VariableChange } from "@capstan/core";

/** A change to a run's variables, as text. */
export interface EncodedChange {
  readonly name: string;
  /** What `run_variables` keeps of it, as JSON; where there is a `value`, its digest is still to be put in. */
  readonly entry: string;
  /** A value too large to be kept in its entry, as JSON. */
  readonly value?: string;
}

/** Up to here, in characters of JSON, a value is kept in its entry: a row of its own costs more than it holds. */
const mostInEntry = 256;

export function encodeChange(change: VariableChange): EncodedChange {
  // What was only evicted from memory stays: with a store nothing needs to be forgotten.
  if (change.type === "removed")
    return { name: change.name, entry: change.reason === "evicted" ? '{"evicted":true}' : "null" };
  const { value, ...info } = change.variable;
  const entry = JSON.stringify(info);
  const json = JSON.stringify(value);
  const { name } = info;
  if (json.length > mostInEntry) return { name, entry, value: json };
  return { name, entry: withField(entry, "value", json) };
}

/** JSON of an object with one more field, which is JSON too. */
export function withField(object: string, name: string, json: string): string {
  return `${object.slice(0, -1)},"${name}":${json}}`;
}
