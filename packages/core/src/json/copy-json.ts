/** JSON with nothing shared with the original: whoever is given it may change it. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const given = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const member = copyJson(given[key]);
    // Assigned, it would be the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { ...plain, value: member });
    else copy[key] = member;
  }
  return copy as T;
}

const plain = { enumerable: true, configurable: true, writable: true };
