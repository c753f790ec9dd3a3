import type { VariableChange, VariableValue } from "@capstan/core";

/** A change to a run's variables as JSON, `[name, entry]`; null removes, and an entry may only say that it was evicted. */
export interface EncodedChange {
  /** Without the digest of a `value`, which is to be put in. */
  readonly entry: string;
  /** Too large to be kept in its entry. */
  readonly value?: EncodedValue;
}

/** A value as JSON; or, where copying the text costs less than making JSON of it, its text and its data's JSON. */
export type EncodedValue = string | { readonly text: string; readonly data?: string };

/** Up to here, in characters of JSON, an entry keeps its value: a row of its own costs more than it holds. */
const largestEntry = 1_024;

/** From here on the writer makes JSON of a text. */
const largeText = 65_536;

export function encodeChange(change: VariableChange): EncodedChange {
  if (change.type === "removed") {
    // What was only evicted from memory stays: with a store nothing needs to be forgotten.
    const entry = change.reason === "evicted" ? { evicted: true } : null;
    return { entry: JSON.stringify([change.name, entry]) };
  }
  const { variable } = change;
  if (variable.value.text.length <= largestEntry) {
    const entry = JSON.stringify([variable.name, variable]);
    if (entry.length <= largestEntry) return { entry };
  }
  const { value, ...info } = variable;
  return { entry: JSON.stringify([info.name, info]), value: encodeValue(value) };
}

function encodeValue(value: VariableValue): EncodedValue {
  const { text, data } = value;
  if (text.length <= largeText) return JSON.stringify(value);
  return data === undefined ? { text } : { text, data: JSON.stringify(data) };
}

/** The entry with the digest of its value. */
export function withDigest({ entry }: EncodedChange, digest: string): string {
  return `${entry.slice(0, -"}]".length)},"digest":"${digest}"}]`;
}

/** A value's JSON. */
export function valueJson(value: EncodedValue): string {
  if (typeof value === "string") return value;
  const { text, data } = value;
  const json = JSON.stringify(text);
  return data === undefined ? `{"text":${json}}` : `{"text":${json},"data":${data}}`;
}
