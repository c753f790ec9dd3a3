import type { VariableChange } from "@capstan/core";

/**
 * Some changes to a run's variables in order, as JSON without the brackets around them:
 * `[name, entry],[name, entry]`. Null removes, and an entry may only say that it was evicted.
 */
export interface EncodedChanges {
  /** Of a `value` the last one's entry has yet to get the digest. */
  readonly entries: string;
  /** The last one's as JSON, if it is too large to be kept in its entry. */
  readonly value?: string;
}

/** Up to here, in bytes, an entry keeps its value: a row of its own costs more than it holds. */
const largestKept = 768;

/** What is small goes together into as few texts as there can be: each of its own costs as much again. */
export function encodeChanges(changes: readonly VariableChange[]): readonly EncodedChanges[] {
  const encoded: EncodedChanges[] = [];
  let small: unknown[] = [];
  for (const change of changes) {
    if (change.type === "removed") {
      // What was only evicted from memory stays: with a store nothing needs to be forgotten.
      small.push([change.name, change.reason === "evicted" ? { evicted: true } : null]);
      continue;
    }
    const { variable } = change;
    if (variable.bytes <= largestKept) {
      small.push([variable.name, variable]);
      continue;
    }
    const { value, ...info } = variable;
    small.push([info.name, info]);
    encoded.push({ entries: entriesOf(small), value: JSON.stringify(value) });
    small = [];
  }
  if (small.length > 0) encoded.push({ entries: entriesOf(small) });
  return encoded;
}

function entriesOf(small: readonly unknown[]): string {
  return JSON.stringify(small).slice(1, -1);
}

/** The entries with the digest of the last one's value. */
export function withDigest({ entries }: EncodedChanges, digest: string): string {
  return `${entries.slice(0, -"}]".length)},"digest":"${digest}"}]`;
}
