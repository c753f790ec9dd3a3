/** An object of a document, whose members are not checked yet. */
export type Node = { readonly [key: string]: unknown };

/** Returns whether a value is an object, but not null or a list. */
export function isObject(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object, or an empty one for any other value. */
export function objectOf(value: unknown): Node {
  return isObject(value) ? value : {};
}

/** Returns a list, or an empty one for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Returns a text that is not empty, or `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
