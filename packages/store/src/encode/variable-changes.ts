import type { VariableChange } from "@capstan/core";
import type { LongParts } from "./long-parts.ts";

/**
 * Changes to a run's variables in order, as JSON without the outer brackets: `[name, entry],[name,
 * entry]`. A null entry removes the variable, and an entry can consist of `evicted` only.
 */
export interface EncodedChanges {
  /** If it has a `value`, the last entry still lacks its digest. */
  readonly entries: string;
  /** The value of the last entry as JSON, if it is too large for its entry. */
  readonly value?: string;
  /** The digest of the value, and its UTF-8 bytes, if they are known. */
  readonly digest?: string;
  readonly bytes?: number;
}

/**
 * The largest value, in bytes, that is stored in its entry: a separate row would take more space.
 */
const maxInlineBytes = 768;

/**
 * Encodes changes as few texts: small changes are joined, because each text costs as much as a
 * change.
 *
 * @param long long parts that are already encoded. @default none
 */
export function encodeChanges(
  changes: readonly VariableChange[],
  long?: LongParts,
): readonly EncodedChanges[] {
  const encoded: EncodedChanges[] = [];
  let small: unknown[] = [];
  for (const change of changes) {
    if (change.type === "removed") {
      // A value that was only evicted from memory remains stored.
      small.push([change.name, change.reason === "evicted" ? { evicted: true } : null]);
      continue;
    }
    const { variable } = change;
    if (variable.bytes <= maxInlineBytes) {
      small.push([variable.name, variable]);
      continue;
    }
    const { value, ...info } = variable;
    small.push([info.name, info]);
    const entries = entriesOf(small);
    const { json = JSON.stringify(value), ...known } = long?.values.get(value) ?? {};
    encoded.push({ entries, value: json, ...known });
    small = [];
  }
  if (small.length > 0) encoded.push({ entries: entriesOf(small) });
  return encoded;
}

function entriesOf(small: readonly unknown[]): string {
  return JSON.stringify(small).slice(1, -1);
}

/** Returns the entries with the digest of the last entry's value. */
export function withDigest({ entries }: EncodedChanges, digest: string): string {
  return `${entries.slice(0, -"}]".length)},"digest":"${digest}"}]`;
}
