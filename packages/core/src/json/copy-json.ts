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

/** A copy of JSON that nobody can change: what a person was asked about stays that. */
export function frozenJson<T>(value: T): T {
  return freeze(copyJson(value));
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
