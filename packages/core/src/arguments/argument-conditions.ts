import { shortJson } from "../json/short-json.ts";
import type { ToolArgs } from "../base/json.ts";
import {
  type ArgumentOperators,
  type ArgumentTest,
  operatorsOf,
  passes,
} from "./argument-operators.ts";

/**
 * Which calls of a tool are meant, by their arguments: all conditions must hold. A key is an
 * argument's name, or a JSON pointer into the arguments in which `*` is every element of a list.
 *
 * @example { path: "secrets/**" }
 * @example { url: { host: "*.example.org" }, "/options/depth": { max: 3 } }
 */
export interface ArgumentConditions {
  readonly [argument: string]: ArgumentTest;
}

/**
 * Whether conditions hold. Where an argument is a list, they are about its elements, however deep:
 * what is allowed must hold for `every` one of them, what is asked about or denied for `some`. Only
 * a list to be `equals` to is compared with the whole.
 *
 * On many file systems `Secrets/x` is `secrets/x`: for `some` a path may differ in case, for
 * `every` it may not, so that neither is passed by in another spelling.
 */
export function conditionsHold(
  conditions: ArgumentConditions,
  args: ToolArgs,
  of: "every" | "some",
): boolean {
  for (const [key, test] of Object.entries(conditions)) {
    const operators = operatorsOf(test);
    const found = valuesAt(args, key);
    const given = found.filter((value) => value !== undefined);
    if (operators.exists === false) {
      if (given.length > 0) return false;
      continue;
    }
    // One element of several that lacks what is asked for is not covered by what allows.
    if (given.length === 0 || (of === "every" && given.length < found.length)) return false;
    const values = isOfLists(operators) ? given : (given.flat(Infinity) as readonly unknown[]);
    if (values.length === 0) return false;
    const holds = (value: unknown) => passes(operators, value, of === "some");
    if (!(of === "every" ? values.every(holds) : values.some(holds))) return false;
  }
  return true;
}

function isOfLists({ equals, not }: ArgumentOperators): boolean {
  return Array.isArray(equals) || (not !== undefined && Array.isArray(operatorsOf(not).equals));
}

/** How narrow conditions are, to compare: more of them, then the longer patterns. */
export function narrowness(conditions: ArgumentConditions | undefined): readonly [number, number] {
  const tests = Object.values(conditions ?? {});
  return [tests.length, tests.reduce<number>((sum, test) => sum + weight(operatorsOf(test)), 0)];
}

/** Conditions as people read them: `path matches secrets/** and depth is at most 3`. */
export function conditionsText(conditions: ArgumentConditions): string {
  return Object.entries(conditions)
    .map(([key, test]) => `${key} ${operatorsText(operatorsOf(test))}`)
    .join(" and ");
}

function operatorsText(operators: ArgumentOperators): string {
  const { equals, path, glob, prefix, host, site, min, max, exists, not } = operators;
  const parts = [
    ...(exists === undefined ? [] : [exists ? "is given" : "is not given"]),
    ...(equals === undefined ? [] : [`is exactly ${shortJson(equals, 200)}`]),
    ...(path === undefined ? [] : [`${path.includes("*") ? "matches" : "is"} ${path}`]),
    ...(glob === undefined ? [] : [`matches ${JSON.stringify(glob)}`]),
    ...(prefix === undefined ? [] : [`begins with ${JSON.stringify(prefix)}`]),
    ...(host === undefined ? [] : [`is on the host ${host}`]),
    ...(site === undefined ? [] : [`is on the site ${site}`]),
    ...(min === undefined ? [] : [`is at least ${min}`]),
    ...(max === undefined ? [] : [`is at most ${max}`]),
    ...(not === undefined ? [] : [`not (${operatorsText(operatorsOf(not))})`]),
  ];
  return parts.join(" and ");
}

function weight({ equals, path, glob, prefix, host, site }: ArgumentOperators): number {
  const patterns = [path, glob, prefix, host, site].filter((text) => text !== undefined);
  const literal = patterns.reduce((sum, text) => sum + text.replaceAll("*", "").length, 0);
  return literal + (equals === undefined ? 1 : exactWeight);
}

/** An exact value is narrower than any pattern may be long. */
const exactWeight = 10_000;

/** What stands there: one value, or one of each element; undefined where there is none. */
function valuesAt(args: ToolArgs, key: string): readonly unknown[] {
  let values: readonly unknown[] = [args];
  for (const name of key.startsWith("/") ? pointerNames(key) : [key])
    values = values.flatMap((value) => {
      if (name === "*" && Array.isArray(value)) return value as readonly unknown[];
      return [ownValue(value, name)];
    });
  return values;
}

function pointerNames(pointer: string): readonly string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function ownValue(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: unknown })[name];
}
