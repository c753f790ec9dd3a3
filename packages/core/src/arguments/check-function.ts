import type { JsonSchema } from "../base/json.ts";
import { schemaChecks } from "./schema-checks.ts";

/**
 * The deepest schema that is compiled, in levels of objects and lists. A compiled schema is a
 * function within a function for each level. V8 compiles them at their first call, and takes six
 * seconds for 200 levels, but less than 0.1 s for 50.
 */
const deepestCompiled = 50;

/**
 * Returns a function that checks values against a schema. The schema is compiled if it is not
 * nested deeply and the runtime can generate code from text. Pages and their workers (only they have a `location`) never try: a
 * content security policy cannot be queried, and would report the attempt as a violation.
 */
export function checkFunction(schema: JsonSchema): (value: unknown) => boolean {
  const { Check, Compile } = schemaChecks();
  // `Compile`'s own interpreter keeps evaluated properties of earlier values.
  const interpreted = (value: unknown): boolean => Check(schema, value);
  if (!isCompiled(schema)) return interpreted;
  try {
    const compiled = Compile(schema);
    return compiled.IsAccelerated() ? compiled.Check.bind(compiled) : interpreted;
  } catch {
    return interpreted;
  }
}

/** Whether a schema is compiled, unless the runtime forbids it. */
export function isCompiled(schema: JsonSchema): boolean {
  return !("location" in globalThis) && !isDeeper(schema, deepestCompiled);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
