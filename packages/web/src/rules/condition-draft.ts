import type { OverrideView } from "@capstan/contract";

/** One condition as it is being written. */
export interface ConditionDraft {
  /** The argument's name, or a JSON pointer. */
  readonly argument: string;
  readonly test: ConditionTest;
  readonly value: string;
}

/** How an argument is looked at; the words stand between its name and the value. */
export const conditionTests = {
  path: { words: "is a path like", example: "docs/**" },
  notPath: { words: "is a path unlike", example: "docs/**" },
  equals: { words: "is exactly", example: "main" },
  notEquals: { words: "is anything but", example: "main" },
  glob: { words: "is text like", example: "rm *" },
  prefix: { words: "begins with", example: "git " },
  host: { words: "is on the host", example: "example.org" },
  site: { words: "is on the site", example: "https://example.org" },
  min: { words: "is at least", example: "1" },
  max: { words: "is at most", example: "10" },
  given: { words: "is given", example: null },
  absent: { words: "is not given", example: null },
} as const satisfies {
  readonly [test: string]: { readonly words: string; readonly example: string | null };
};
export type ConditionTest = keyof typeof conditionTests;

export type When = NonNullable<OverrideView["when"]>;

export type ReadConditions =
  | { readonly type: "when"; readonly when: When | undefined }
  /** `index` is the condition that is wrong. */
  | { readonly type: "invalid"; readonly index: number; readonly message: string };

/**
 * The conditions of a rule, all of which must hold; none is every call.
 *
 * @param typeOf the type that the tool's schema has for an argument, where it is known
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
    if (argument === "") return invalid(index, "Which argument? Write its name, such as path.");
    const read = operatorOf(draft, typeOf(argument));
    if (typeof read === "string") return invalid(index, read);
    const [operator, value] = read;
    const before = (when[argument] ??= {});
    if (operator in before)
      return invalid(
        index,
        `${argument} has such a condition already. Write one pattern for both, or make two rules.`,
      );
    before[operator] = value;
  }
  const isEmpty = drafts.length === 0;
  return { type: "when", when: isEmpty ? undefined : { ...when } };
}

/** What the API calls it, and the value; or what is wrong with it. */
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
        ? "Write a number."
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
  return `What should it be like? For instance ${conditionTests[test].example}.`;
}

/** What was typed, as the value it stands for: text where the argument is text, else JSON where it is some. */
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
