import { canonicalJson } from "../json/canonical-json.ts";

/** A check of our own within a schema, in the validator's form. */
export interface Refinement {
  readonly check: (value: unknown) => boolean;
  readonly error: () => string;
}

/** The error's text carries the keyword that the check stands for. */
export function refinement(options: {
  readonly keyword: string;
  readonly expected: string;
  readonly test: (value: unknown) => boolean;
}): Refinement {
  return { check: options.test, error: () => `${options.keyword}: ${options.expected}` };
}

/** What a refinement's error text says. */
export function readRefinement(message: string): { keyword: string; expected: string } {
  const end = message.indexOf(": ");
  return { keyword: message.slice(0, end), expected: message.slice(end + 2) };
}

/** `uniqueItems` in linear time, whatever the list; the validator's own lists every duplicate. */
export const uniqueItems: Refinement = refinement({
  keyword: "uniqueItems",
  expected: "a list without repeated items",
  test: (value) => !Array.isArray(value) || new Set(value.map(canonicalJson)).size === value.length,
});
