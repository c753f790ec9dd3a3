import { Check, Compile } from "typebox/schema";
import type { JsonSchema } from "../base/json.ts";

/**
 * Returns a function that checks values against a schema. The schema is compiled if code can be
 * generated from text. A page's content security policy cannot be queried, and a forbidden attempt
 * is reported as a violation. Therefore pages and their workers, which alone have a `location`,
 * never try it.
 */
export function checkFunction(schema: JsonSchema): (value: unknown) => boolean {
  // `Compile`'s own interpreter carries evaluated properties over from earlier values.
  const interpreted = (value: unknown): boolean => Check(schema, value);
  if ("location" in globalThis) return interpreted;
  try {
    const compiled = Compile(schema);
    return compiled.IsAccelerated() ? compiled.Check.bind(compiled) : interpreted;
  } catch {
    return interpreted;
  }
}
