import { createHash } from "node:crypto";

/** The maximum length of a tool's name. With the prefixes of hosts, names have up to 64. */
const longest = 48;

/** An operation that needs a name. */
export interface NamedOperation {
  /** Method and path: `GET /pets/{petId}`. */
  readonly key: string;
  /** The document's `operationId`. */
  readonly id?: string;
}

/**
 * Returns a name for each operation that every provider accepts: its id, or else its method and the
 * words of its path. A name that is cut, or that several operations would have, ends with a part of
 * a hash. So names do not depend on the order of operations.
 *
 * @param known the names that operations have already, by key, which they keep
 * @returns names by key
 */
export function nameOperations(
  operations: readonly NamedOperation[],
  known: { readonly [key: string]: string } = {},
): ReadonlyMap<string, string> {
  const plain = operations.map((operation) => plainName(operation));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { key } of operations) {
    const name = Object.hasOwn(known, key) ? known[key] : undefined;
    if (name === undefined || taken.has(name.toLowerCase())) continue;
    names.set(key, name);
    taken.add(name.toLowerCase());
  }
  for (const [index, { key }] of operations.entries()) {
    if (names.has(key)) continue;
    const name = plain[index] ?? "operation";
    const isUnique = uses.get(name.toLowerCase()) === 1 && !taken.has(name.toLowerCase());
    const chosen = isUnique && name.length <= longest ? name : withHash(name, key);
    names.set(key, chosen);
    taken.add(chosen.toLowerCase());
  }
  return names;
}

function plainName({ key, id }: NamedOperation): string {
  const [method = "", path = ""] = key.split(" ", 2);
  const words =
    id ?? [method.toLowerCase(), ...path.split(/[^a-zA-Z0-9_-]+/)].filter(Boolean).join("_");
  const plain = words.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").replaceAll(/^[_-]+|[_-]+$/g, "");
  return plain === "" ? method.toLowerCase() : plain;
}

function withHash(name: string, key: string): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 6);
  return `${name.slice(0, longest - 7)}_${hash}`;
}
