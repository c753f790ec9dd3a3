/** What an entry costs beside its text, about. */
const overhead = 64;

/** Roughly the characters that a plain value takes in memory. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = overhead;
  for (const [key, member] of Object.entries(value)) size += key.length + sizeOf(member);
  return size;
}
