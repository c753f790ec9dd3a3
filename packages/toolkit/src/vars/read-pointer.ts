import type { JsonValue } from "@capstan/core";

/** What a JSON pointer (`/a/0/b`) leads to; undefined where it leads nowhere. Own properties only. */
export function readPointer(data: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
    value = (value as { readonly [key: string]: JsonValue })[key];
  }
  return value;
}
