import type { JsonSchema, JsonValue } from "../model/json.ts";
import { readPointer } from "../variables/json-pointer.ts";
import { isValue } from "./loose-schema.ts";

/**
 * The first `$ref` of a schema that leads nowhere, or undefined. Only what stands in the schema
 * itself is found: nothing is fetched.
 */
export function danglingReference(schema: JsonSchema): string | undefined {
  const references = new Set<string>();
  const ids = new Set<string>();
  const anchors = new Set<string>();
  collect(schema);
  return [...references].find((ref) => !isResolvable(ref));

  function collect(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== "string") collect(member);
      else if (key === "$ref") references.add(member);
      else if (key === "$id" && member.startsWith("#")) anchors.add(member.slice(1));
      else if (key === "$id") ids.add(member);
      else if (key === "$anchor" || key === "$dynamicAnchor") anchors.add(member);
    }
  }

  function isResolvable(ref: string): boolean {
    if (leadsIntoValue(ref)) return false;
    if (ref === "#" || anchors.has(ref.slice(1))) return true;
    // Where there are identifiers a pointer may be relative to one of them: the validator knows.
    const only = schema["$id"] === undefined ? 0 : 1;
    if (ids.size > only) return true;
    if (ref.startsWith("#/"))
      return readPointer(schema as JsonValue, decoded(ref.slice(1))).status === "found";
    return ids.size > 0 && !ref.startsWith("#");
  }
}

/** Whether a pointer leads into what is a value and no schema, where patterns are not made safe. */
function leadsIntoValue(ref: string): boolean {
  const parts = decoded(ref.slice(ref.indexOf("#") + 1)).split("/");
  return parts.some(
    (part, index) =>
      isValue(part) && !/^(?:properties|\$defs|definitions)$/.test(parts[index - 1] ?? ""),
  );
}

/** A pointer out of a URI's fragment. */
export function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
