/** Bytes of a number, a key or an object beside its texts. */
const bytesEach = 8;

/**
 * Estimates how many bytes plain data takes in memory: the characters of its texts, and a constant
 * for everything else. Shared values count each time they occur.
 *
 * @example
 * memorySize({ role: "user", content: "Hello." }); // 50
 */
export function memorySize(data: unknown): number {
  if (typeof data === "string") return bytesEach + data.length;
  if (typeof data !== "object" || data === null) return bytesEach;
  let size = bytesEach;
  if (Array.isArray(data)) for (const one of data) size += memorySize(one);
  else
    for (const key in data)
      size += bytesEach + memorySize((data as { readonly [key: string]: unknown })[key]);
  return size;
}
