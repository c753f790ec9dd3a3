import { isPlainName } from "../base/plain-name.ts";

/** Characters of a variable's name. */
export const maxNameLength = 200;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const sliceEnding = /:\d+$/;

/**
 * Why a name cannot be used, or undefined if it can. A name is refused where a reference to it
 * would be ambiguous: `$VAR_REF{{name:3:5}}`, `$VAR_REF{{name#/pointer}}`, or an early `}}`.
 *
 * @example variableNameProblem("notes:3") // "must not end like a slice (`:3`)"
 */
export function variableNameProblem(name: string): string | undefined {
  if (typeof name !== "string") return "must be text";
  if (name.trim() === "") return "must not be empty";
  if (name !== name.trim()) return "must not begin or end with white space";
  if (name.length > maxNameLength)
    return `must have at most ${maxNameLength} characters, not ${name.length}`;
  if (!name.isWellFormed()) return "must be well-formed text";
  if (controlCharacters.test(name)) return "must not contain control characters or line breaks";
  if (name.includes("}}") || name.endsWith("}")) return "must not contain `}}` or end with `}`";
  if (name.includes("#/")) return "must not contain `#/`, which begins a JSON pointer";
  if (sliceEnding.test(name)) return "must not end like a slice (`:3` or `:3:5`)";
  return undefined;
}

/** The part of a kept result's name that comes from its tool. */
export function resultNameBase(tool: string): string {
  if (isPlainName(tool, 100)) return tool;
  return tool.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 100) || "tool";
}
