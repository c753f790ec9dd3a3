import { Check, Compile } from "typebox/schema";
import type { JsonSchema } from "../base/json.ts";

/**
 * What tells whether a value fits a schema: compiled, where code may be made from text. A page's
 * content security policy cannot be asked whether it may, and an attempt that it forbids is
 * reported as a violation; so in pages and their workers, which alone have a location, nothing is
 * tried.
 */
export function checkFunction(schema: JsonSchema): (value: unknown) => boolean {
  // `Compile`'s own interpreter takes what earlier values had for evaluated in later ones.
  const interpreted = (value: unknown): boolean => Check(schema, value);
  if ("location" in globalThis) return interpreted;
  try {
    const compiled = Compile(schema);
    return compiled.IsAccelerated() ? compiled.Check.bind(compiled) : interpreted;
  } catch {
    return interpreted;
  }
}
