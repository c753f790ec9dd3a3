import { encodeText } from "./text-codec.ts";

const int8 = 20;
const text = 25;

/**
 * Encodes an array in PostgreSQL's binary format: `bigint[]` for integers, `text[]` for texts. An
 * array that could have either type, or that contains other numbers, becomes a text.
 */
export function encodeArray(values: readonly (string | number | null)[]): string | Buffer {
  const some = values.find((value) => value !== null);
  if (typeof some === "string") return textArray(values);
  if (some !== undefined && values.every(isWhole)) return numberArray(values);
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

function isWhole(value: string | number | null): value is number | null {
  return value === null || Number.isSafeInteger(value);
}

function numberArray(values: readonly (number | null)[]): Buffer {
  const array = begin(values, int8, 8 * values.length);
  let at = headerSize;
  for (const value of values) {
    at = array.writeInt32BE(value === null ? -1 : 8, at);
    if (value === null) continue;
    at = array.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = array.writeUInt32BE(value >>> 0, at);
  }
  return array.subarray(0, at);
}

function textArray(values: readonly (string | number | null)[]): Buffer {
  const encoded = values.map((value) => (value === null ? null : encodeText(String(value))));
  let bytes = 0;
  for (const value of encoded) if (value !== null) bytes += Buffer.byteLength(value);
  const array = begin(values, text, bytes);
  let at = headerSize;
  for (const value of encoded) {
    if (value === null) {
      at = array.writeInt32BE(-1, at);
      continue;
    }
    const length = array.write(value, at + 4);
    array.writeInt32BE(length, at);
    at += 4 + length;
  }
  return array;
}

/** Dimensions, nulls, the elements' type, and the length and first index of the dimension. */
const headerSize = 20;

function begin(values: readonly unknown[], type: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(headerSize + 4 * values.length + bytes);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
