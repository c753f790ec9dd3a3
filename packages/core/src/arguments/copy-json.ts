/** JSON with nothing shared with the original: whoever is given it may change it. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const members = Object.entries(value).map(([key, member]) => [key, copyJson(member)] as const);
  return Object.fromEntries(members) as T;
}
