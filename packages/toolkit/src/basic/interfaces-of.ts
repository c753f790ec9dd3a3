import type { JsonValue } from "@capstan/core";
import { addToShape, emptyShape } from "./json-shape.ts";
import { parseJson } from "./parse-json.ts";
import { printInterfaces } from "./print-interfaces.ts";
import { TextProblem } from "./text-problem.ts";

// The process of long texts imports this file, so it must not import other packages of Capstan.

const deepest = 200;

/**
 * Returns TypeScript interfaces for a JSON text.
 *
 * @param name of the outermost type
 * @throws TextProblem
 */
export function interfacesOf(json: string, name: string): string {
  const parsed = parseJson(json);
  if (parsed.status === "invalid") {
    throw new TextProblem("invalid_json", parsed.message);
  }
  if (!isShallow(parsed.value)) {
    throw new TextProblem(
      "too_deep",
      `The JSON is nested more than ${deepest} levels deep. Pass a part of it.`,
    );
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
