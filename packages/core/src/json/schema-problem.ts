import { type $ZodIssue, type $ZodType, safeParse } from "zod/v4/core";
import { shortJson } from "./short-json.ts";

/** A part of an untrusted value that does not match its schema. */
export interface SchemaProblem {
  /** For example `state.calls[0].callId`. */
  readonly path: string;
  readonly value: unknown;
  /** The schema's error message for this part, which describes a valid value. */
  readonly expected: string;
}

/**
 * Returns the first problem of a value, or `undefined` if the value is valid. For a union, returns
 * the problem of the alternative that matches deepest.
 *
 * @param path the value's name in the message
 * @example schemaProblem(z.array(z.string("text")), ["a", 1], "words")
 * // { path: "words[1]", value: 1, expected: "text" }
 */
export function schemaProblem(
  schema: $ZodType,
  value: unknown,
  path: string,
): SchemaProblem | undefined {
  const { error } = safeParse(schema, value);
  if (error === undefined) return undefined;
  const issue = deepest(error.issues);
  const at = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return {
    path: path + at.join(""),
    value: valueAt(value, issue.path),
    expected: issue.message,
  };
}

/** @example problemText({ path: "state.round", value: "3", expected: "a number" }) // state.round is "3", and should be a number */
export function problemText({ path, value, expected }: SchemaProblem): string {
  return `${path} is ${shortJson(value)}, and should be ${expected}`;
}

function deepest(issues: readonly $ZodIssue[]): Pick<$ZodIssue, "path" | "message"> {
  const [first] = issues;
  if (first === undefined) return { path: [], message: "something else" };
  if (first.code !== "invalid_union") return first;
  let found: Pick<$ZodIssue, "path" | "message"> = first;
  for (const alternative of first.errors) {
    const { path, message } = deepest(alternative);
    if (path.length > 0 && first.path.length + path.length > found.path.length)
      found = { path: [...first.path, ...path], message };
  }
  return found;
}

/** Returns the value at a path of keys, or `undefined`. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (of, key) =>
      typeof of === "object" && of !== null
        ? (of as { readonly [key: PropertyKey]: unknown })[key]
        : undefined,
    value,
  );
}
