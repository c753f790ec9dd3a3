import type { OverrideView } from "@capstan/contract";
import { rulesTexts } from "../texts/rules.ts";

/** One condition while the user edits it. */
export interface ConditionDraft {
  /** The argument's name, or a JSON pointer. */
  readonly argument: string;
  readonly test: ConditionTest;
  readonly value: string;
}

/** The tests of a condition, each with an example of its value; null if it has no value. */
export const conditionTests = {
  path: "docs/**",
  notPath: "docs/**",
  equals: "main",
  notEquals: "main",
  glob: "rm *",
  prefix: "git ",
  host: "example.org",
  site: "https://example.org",
  min: "1",
  max: "10",
  given: null,
  absent: null,
} as const satisfies { readonly [test: string]: string | null };
export type ConditionTest = keyof typeof conditionTests;

export type When = NonNullable<OverrideView["when"]>;

export type ReadConditions =
  | { readonly type: "when"; readonly when: When | undefined }
  /** `index` is the number of the invalid condition, from 0. */
  | { readonly type: "invalid"; readonly index: number; readonly message: string };

/**
 * Reads the conditions of a rule, all of which must hold. Without conditions it covers every call.
 *
 * @param typeOf returns the type of an argument in the tool's schema, if it is known
 */
export function readConditions(
  drafts: readonly ConditionDraft[],
  typeOf: (argument: string) => unknown,
): ReadConditions {
  const when: { [argument: string]: { [operator: string]: unknown } } = Object.create(
    null,
  ) as typeof when;
  for (const [index, draft] of drafts.entries()) {
    const argument = draft.argument.trim();
    if (argument === "") return invalid(index, rulesTexts.errors.argument);
    const read = operatorOf(draft, typeOf(argument));
    if (typeof read === "string") return invalid(index, read);
    const [operator, value] = read;
    const before = (when[argument] ??= {});
    if (operator in before) return invalid(index, rulesTexts.errors.duplicate(argument));
    before[operator] = value;
  }
  const isEmpty = drafts.length === 0;
  return { type: "when", when: isEmpty ? undefined : { ...when } };
}

/** Returns the operator of the API and its value, or an error message. */
function operatorOf(
  { test, value }: ConditionDraft,
  type: unknown,
): readonly [operator: string, value: unknown] | string {
  switch (test) {
    case "given":
      return ["exists", true];
    case "absent":
      return ["exists", false];
    case "min":
    case "max":
      return value.trim() === "" || !Number.isFinite(Number(value))
        ? rulesTexts.errors.number
        : [test, Number(value)];
    case "equals":
      return ["equals", jsonOf(value, type)];
    case "notEquals":
      return ["not", { equals: jsonOf(value, type) }];
    case "notPath":
      return value === "" ? missing(test) : ["not", { path: value }];
    case "path":
    case "glob":
    case "prefix":
    case "host":
    case "site":
      return value === "" ? missing(test) : [test, value];
  }
}

function missing(test: ConditionTest): string {
  return rulesTexts.errors.value(conditionTests[test]);
}

/**
 * Parses a typed value: as text if the argument is a string, else as JSON if it is valid JSON, else
 * as text.
 */
function jsonOf(text: string, type: unknown): unknown {
  if (type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function invalid(index: number, message: string): ReadConditions {
  return { type: "invalid", index, message };
}
