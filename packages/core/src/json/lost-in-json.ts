/**
 * Where a value holds something of which JSON makes `{}`: a Map, a promise nobody awaited, bytes
 * behind a class. Undefined where it holds nothing like that.
 *
 * @param json the value as JSON; the search is made only where it can find anything
 * @returns words such as `a Map at /rows/0`
 */
export function lostInJson(value: unknown, json: string): string | undefined {
  return json.includes("{}") ? find(value, "") : undefined;
}

function find(value: unknown, path: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("toJSON" in value && typeof value.toJSON === "function") return undefined;
  const entries = Object.entries(value);
  if (entries.length === 0 && !isPlain(value))
    return `a ${nameOf(value)}${path === "" ? "" : ` at ${path}`}`;
  for (const [key, member] of entries) {
    const lost = find(member, `${path}/${key}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

/** A list, or an object of no class, of whichever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return tag === "Object" ? value.constructor.name : tag;
}
