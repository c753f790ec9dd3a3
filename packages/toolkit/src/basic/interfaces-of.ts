import { type JsonValue, type ToolError, toolError } from "@capstan/core";
import { addToShape, emptyShape } from "./json-shape.ts";
import { parseJson } from "./parse-json.ts";
import { printInterfaces } from "./print-interfaces.ts";

const deepest = 200;

/**
 * Returns TypeScript interfaces for a JSON text.
 *
 * @param name of the outermost type
 */
export function interfacesOf(json: string, name: string): string | ToolError {
  const parsed = parseJson(json);
  if (parsed.status === "invalid") {
    return toolError({ code: "invalid_json", message: parsed.message });
  }
  if (!isShallow(parsed.value)) {
    return toolError({
      code: "too_deep",
      message: `The JSON is nested more than ${deepest} levels deep. Pass a part of it.`,
    });
  }
  const shape = emptyShape();
  addToShape(shape, parsed.value);
  return printInterfaces(shape, name);
}

/** Iterates level by level, so that no depth can overflow the stack. */
function isShallow(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false;
    level = level.flatMap((inner) =>
      typeof inner === "object" && inner !== null ? Object.values(inner) : [],
    );
  }
  return true;
}
