import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { VariableChange } from "@capstan/core";
import { jsonChunks } from "@capstan/core/base";
import type { VariableValue } from "@capstan/core/host";
import type { StoreWrite } from "../records/store-writes.ts";

/** A long value in the form of its row. */
export interface EncodedValue {
  readonly json: string;
  /** The SHA-256 of the JSON, in lower-case hexadecimal digits. */
  readonly digest: string;
  /** UTF-8 bytes of the JSON. */
  readonly bytes: number;
}

/** Long values that were encoded before their commit. */
export type EncodedValues = ReadonlyMap<VariableValue, EncodedValue>;

/** Values with more bytes are encoded in slices. */
const longBytes = 262_144;

/** Milliseconds that one slice of the encoding can take. */
const sliceMs = 5;

/**
 * Encodes the long values of variables in slices, because one with many megabytes would otherwise
 * block the event loop. Values that cannot be encoded are omitted: the commit reports the error.
 *
 * @returns undefined if there are none, so that short commits need not wait
 */
export function encodeLongValues(
  requests: readonly { readonly writes: readonly StoreWrite[] }[],
): Promise<EncodedValues> | undefined {
  const values = new Set<VariableValue>();
  for (const { writes } of requests)
    for (const write of writes)
      for (const change of changesOf(write))
        if (change.type === "set" && change.variable.bytes > longBytes)
          values.add(change.variable.value);
  return values.size === 0 ? undefined : encodeAll(values);
}

function changesOf(write: StoreWrite): readonly VariableChange[] {
  if (write.type === "edit-variables") return write.changes;
  if (write.type !== "journal") return [];
  return write.writes.flatMap((each) => (each.type === "variable" ? each.change : []));
}

async function encodeAll(values: ReadonlySet<VariableValue>): Promise<EncodedValues> {
  const encoded = new Map<VariableValue, EncodedValue>();
  for (const value of values) {
    try {
      encoded.set(value, await encodeInSlices(value));
    } catch {
      // The encoder of the commit throws the same error for its request only.
    }
  }
  return encoded;
}

async function encodeInSlices(value: VariableValue): Promise<EncodedValue> {
  const hash = createHash("sha256");
  const pieces: string[] = [];
  let bytes = 0;
  let began = performance.now();
  for (const piece of jsonChunks(value)) {
    pieces.push(piece);
    hash.update(piece);
    bytes += Buffer.byteLength(piece);
    if (performance.now() - began < sliceMs) continue;
    await nextTurn();
    began = performance.now();
  }
  return { json: pieces.join(""), digest: hash.digest("hex"), bytes };
}
