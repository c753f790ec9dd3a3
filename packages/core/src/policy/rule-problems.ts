import { isObject } from "../json/json-value.ts";
import { nearestNames } from "../text/nearest-name.ts";
import { shortJson } from "../json/short-json.ts";
import { CapstanError } from "../base/errors.ts";
import { readHost } from "../arguments/argument-operators.ts";

/** What is wrong with a rule, and where. */
export interface RuleProblem {
  /** From the rule on: `["when", "path", "glob"]`. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Characters of a pattern, conditions of a rule, and milliseconds of a question. */
const most = { pattern: 1_000, conditions: 20, approvalMs: 365 * 24 * 60 * 60 * 1_000 };

type Check = (value: unknown) => string | undefined;

const text =
  (expected: string, fits: (value: string) => boolean = () => true): Check =>
  (value) =>
    typeof value === "string" && value !== "" && value.length <= most.pattern && fits(value)
      ? undefined
      : expected;
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string)
      ? undefined
      : `${words
          .slice(0, -1)
          .map((word) => `"${word}"`)
          .join(", ")} or "${words.at(-1)}"`;
const number: Check = (value) => (Number.isFinite(value) ? undefined : "a number");

const operatorChecks: { readonly [operator: string]: Check } = {
  equals: (value) => (value === undefined ? "a JSON value" : undefined),
  path: text(
    'a path such as "secrets/**", without ".."',
    (path) => !/(^|[/\\])\.\.([/\\]|$)/.test(path),
  ),
  glob: text('text such as "rm *"'),
  prefix: text("text that begins it"),
  host: text(
    "a host such as example.org, example.org:8080 or *.example.org",
    (host) => readHost(host) !== undefined,
  ),
  site: text(
    "a site such as https://example.org",
    (site) => URL.parse(site)?.origin === site && site !== "null",
  ),
  min: number,
  max: number,
  exists: (value) => (typeof value === "boolean" ? undefined : "true or false"),
  not: () => undefined,
};
const operators = Object.keys(operatorChecks);

const toolPattern = "a tool such as files.ViewFile, a group such as files.*, or *";
const ruleChecks: { readonly [key: string]: Check } = {
  tool: (value) =>
    typeof value === "string" && /^(\*|[a-zA-Z0-9_-]+\.(\*|[a-zA-Z0-9_-]+))$/.test(value)
      ? undefined
      : toolPattern,
  when: () => undefined,
  execution: oneOf("auto", "ask-once", "ask-always", "deny"),
  result: oneOf("never", "on-error", "always"),
  reason: (value) =>
    typeof value === "string" && value.trim() !== "" ? undefined : "words that say why",
  approvalMs: (value) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most.approvalMs
      ? undefined
      : `whole milliseconds from 1 to ${most.approvalMs}`,
};

/**
 * What is wrong with a rule that came from outside, as data; empty where it is a `PolicyRule`.
 * A key that means nothing is wrong, too: a rule that is read in part says something else.
 */
export function ruleProblems(rule: unknown): readonly RuleProblem[] {
  const example = 'a rule such as {"tool": "files.*", "execution": "ask-always"}';
  if (!isObject(rule)) return [wrong([], example, rule)];
  const problems = checkKeys(rule, ruleChecks, []);
  if (rule["tool"] === undefined) problems.push(wrong(["tool"], toolPattern, undefined));
  if (rule["when"] !== undefined) problems.push(...conditionProblems(rule["when"], ["when"]));
  if (!["execution", "result", "approvalMs"].some((key) => rule[key] !== undefined))
    problems.push(wrong([], "execution, result or approvalMs: what the rule says", rule));
  return problems;
}

/** @throws CapstanError `invalid_rule` that names the first thing that is wrong */
export function checkRules(what: string, rules: readonly unknown[]): void {
  for (const [index, rule] of rules.entries()) {
    const [problem] = ruleProblems(rule);
    if (problem === undefined) continue;
    const place = [`${what}[${index}]`, ...problem.path].join(".");
    throw new CapstanError({ code: "invalid_rule", message: `${place}: ${problem.message}.` });
  }
}

/** The same for conditions alone, as a person writes them into a grant. */
export function conditionProblems(
  conditions: unknown,
  at: readonly string[] = [],
): readonly RuleProblem[] {
  const example = 'conditions by argument such as {"path": "docs/**"}';
  if (!isObject(conditions)) return [wrong(at, example, conditions)];
  const entries = Object.entries(conditions);
  if (entries.length === 0 || entries.length > most.conditions)
    return [wrong(at, `${example}, 1 to ${most.conditions} of them`, conditions)];
  return entries.flatMap(([key, test]) => testProblems(test, [...at, key]));
}

function testProblems(test: unknown, at: readonly string[], negated = false): RuleProblem[] {
  if (typeof test === "string") return checkKeys({ path: test }, operatorChecks, at, at);
  if (typeof test === "boolean" || test === null || Number.isFinite(test)) return [];
  if (!isObject(test) || Object.keys(test).length === 0)
    return [wrong(at, `a value, a path pattern, or an object of ${operators.join(", ")}`, test)];
  const problems = checkKeys(test, operatorChecks, at);
  if (test["exists"] === false && Object.keys(test).length > 1)
    problems.push(wrong([...at, "exists"], "false alone: what is not there has no value", test));
  if (test["not"] === undefined) return problems;
  return negated
    ? [...problems, wrong([...at, "not"], "no not within not", test["not"])]
    : [...problems, ...testProblems(test["not"], [...at, "not"], true)];
}

function checkKeys(
  object: { readonly [key: string]: unknown },
  checks: { readonly [key: string]: Check },
  at: readonly string[],
  shownAt?: readonly string[],
): RuleProblem[] {
  return Object.entries(object).flatMap(([key, value]): readonly RuleProblem[] => {
    const path = shownAt ?? [...at, key];
    if (!Object.hasOwn(checks, key)) {
      const known = Object.keys(checks);
      const [near] = nearestNames(key, known, 1);
      const hint = near === undefined ? `Known are ${known.join(", ")}.` : `Did you mean ${near}?`;
      return [{ path, message: `means nothing here. ${hint}` }];
    }
    const expected = value === undefined ? undefined : checks[key]?.(value);
    return expected === undefined ? [] : [wrong(path, expected, value)];
  });
}

function wrong(path: readonly string[], expected: string, value: unknown): RuleProblem {
  const got = value === undefined ? "nothing" : shortJson(value, 60);
  return { path, message: `expected ${expected}, got ${got}` };
}
