import { Check, Compile } from "typebox/schema";
import type { JsonSchema } from "../base/json.ts";

/**
 * Returns a function that checks values against a schema. The schema is compiled if the runtime can
 * generate code from text. Pages and their workers (only they have a `location`) never try: a
 * content security policy cannot be queried, and would report the attempt as a violation.
 */
export function checkFunction(schema: JsonSchema): (value: unknown) => boolean {
  // `Compile`'s own interpreter keeps evaluated properties of earlier values.
  const interpreted = (value: unknown): boolean => Check(schema, value);
  if ("location" in globalThis) return interpreted;
  try {
    const compiled = Compile(schema);
    return compiled.IsAccelerated() ? compiled.Check.bind(compiled) : interpreted;
  } catch {
    return interpreted;
  }
}
