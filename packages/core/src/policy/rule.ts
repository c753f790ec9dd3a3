import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool, ExecutionDecision, ResultApprovalPolicy } from "../tool/tool.ts";
import type { ToolArgs } from "../base/json.ts";
import {
  type ArgumentConditions,
  conditionsHold,
  narrowness,
  readHost,
} from "../arguments/argument-conditions.ts";
import { isObject } from "../json/json-value.ts";
import { nearestNames } from "../text/nearest-name.ts";
import { shortJson } from "../json/short-json.ts";
import { CapstanError } from "../base/errors.ts";

/** A rule as data: an administrator's, or a user's override. */
export interface PolicyRule {
  /** `files.ViewFile`, `files.*` or `*`. */
  readonly tool: string;
  /** The rule applies only to calls whose arguments match. @default every call */
  readonly when?: ArgumentConditions;
  readonly execution?: ExecutionDecision;
  readonly result?: ResultApprovalPolicy;
  /**
   * Milliseconds until an approval request for a matching call expires. @default the tool's, else
   * the gate's
   */
  readonly approvalMs?: number;
  /** Shown to the user who is asked, or to the model whose call is rejected. */
  readonly reason?: string;
}

/** The properties of a call that rules compare. */
export interface RuledCall {
  readonly toolId: string;
  /** In the form that rules compare: see `ToolPermission.canonicalArguments`. */
  readonly args: ToolArgs;
  /** True: only a rule that names the tool itself can require fewer approvals. */
  readonly asksUser?: boolean;
}

/**
 * Returns the setting of one source's rules for a call, or undefined if none matches. A matching
 * denial wins. Otherwise the most specific rule wins: a tool before its group before `*`, then more
 * conditions, then longer patterns, then the stricter setting.
 */
export function executionRule(
  rules: readonly PolicyRule[],
  call: RuledCall,
): PolicyRule | undefined {
  return choose(rules, call, "execution", executionStrictness);
}

/**
 * Returns the setting of one source's rules for a result. Results cannot be denied, so the most
 * specific rule wins.
 */
export function resultRule(rules: readonly PolicyRule[], call: RuledCall): PolicyRule | undefined {
  return choose(rules, call, "result", resultStrictness);
}

/**
 * Returns the rule that sets the expiry of an approval request. Of two equally specific rules, the
 * shorter time wins.
 */
export function approvalTimeRule(
  rules: readonly PolicyRule[],
  call: RuledCall,
): PolicyRule | undefined {
  return choose(rules, call, "approvalMs", (ms) => -ms);
}

/** Returns the strictness of a decision; higher is stricter, -1 is invalid. */
export const executionStrictness = (word: ExecutionDecision): number =>
  executionWords.indexOf(word);
const executionWords: readonly ExecutionDecision[] = ["auto", "ask-once", "ask-always", "deny"];

/** Returns the strictness of a review policy; higher is stricter, -1 is invalid. */
export const resultStrictness = (word: ResultApprovalPolicy): number => resultWords.indexOf(word);
const resultWords: readonly ResultApprovalPolicy[] = ["never", "on-error", "always"];

type Field = "execution" | "result" | "approvalMs";
type Word<F extends Field> = Exclude<PolicyRule[F], undefined>;

function choose<F extends Field>(
  rules: readonly PolicyRule[],
  call: RuledCall,
  field: F,
  strictness: (word: Word<F>) => number,
): PolicyRule | undefined {
  let best: PolicyRule | undefined;
  let bestRank: readonly number[] = [];
  for (const rule of rules) {
    const word = rule[field] as Word<F> | undefined;
    if (word === undefined || !covers(rule, call, word)) continue;
    if (word === "deny") return rule;
    const rank = [...specificity(rule), strictness(word)];
    if (best === undefined || isAbove(rank, bestRank)) {
      best = rule;
      bestRank = rank;
    }
  }
  return best;
}

/** Whether a rule's `tool` matches this tool: by its name, by its group's name, or `*`. */
export function namesTool(tool: string, toolId: string): boolean {
  return (
    tool === "*" || tool === toolId || (tool.endsWith(".*") && toolId.startsWith(tool.slice(0, -1)))
  );
}

/** Whether a rule's `tool` matches at least one tool of a group. */
export function namesGroup(tool: string, group: string): boolean {
  return tool === "*" || tool.startsWith(`${group}.`);
}

function covers(rule: PolicyRule, { toolId, args, asksUser }: RuledCall, word: unknown): boolean {
  const { tool, when } = rule;
  if (!namesTool(tool, toolId)) return false;
  if (asksUser === true && tool !== toolId && (word === "auto" || word === "ask-once"))
    return false;
  const loosens = word === "auto" || word === "never";
  return when === undefined || conditionsHold(when, args, loosens ? "every" : "some");
}

/** Returns how narrow a rule is: compare with `isAbove`. */
export function specificity({ tool, when }: PolicyRule): readonly number[] {
  return [tool === "*" ? 0 : tool.endsWith(".*") ? 1 : 2, ...narrowness(when)];
}

/** Returns whether one list of numbers is greater than another: the first difference decides. */
export function isAbove(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value > against;
  }
  return false;
}

/** Returns a call in the form that rules compare, with canonical arguments. */
export function ruledCall({ id: toolId, tool }: RegisteredTool, args: ToolArgs): RuledCall {
  return {
    toolId,
    args: canonicalArguments(tool, args),
    ...(tool.asksUser === true && { asksUser: true }),
  };
}

/** Returns arguments in their canonical form, or unchanged if the tool's function throws. */
export function canonicalArguments({ permission }: Tool, args: ToolArgs): ToolArgs {
  try {
    return permission?.canonicalArguments?.(args) ?? args;
  } catch {
    return args;
  }
}

/** A problem of an untrusted rule. */
export interface RuleProblem {
  /** Relative to the rule: `["when", "path", "glob"]`. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The maximum length of a pattern, number of conditions of a rule, and milliseconds of a request.
 */
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
  prefix: text("the beginning of the text"),
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
    typeof value === "string" && value.trim() !== "" ? undefined : "a text with the reason",
  approvalMs: (value) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most.approvalMs
      ? undefined
      : `whole milliseconds from 1 to ${most.approvalMs}`,
};

/**
 * Returns the problems of an untrusted rule, as data; empty if it is a `PolicyRule`. An unknown key
 * is a problem too, because a partly applied rule has another meaning.
 */
export function ruleProblems(rule: unknown): readonly RuleProblem[] {
  const example = 'a rule such as {"tool": "files.*", "execution": "ask-always"}';
  if (!isObject(rule)) return [wrong([], example, rule)];
  const problems = checkKeys(rule, ruleChecks, []);
  if (rule["tool"] === undefined) problems.push(wrong(["tool"], toolPattern, undefined));
  if (rule["when"] !== undefined) problems.push(...conditionProblems(rule["when"], ["when"]));
  if (!["execution", "result", "approvalMs"].some((key) => rule[key] !== undefined))
    problems.push(wrong([], "execution, result or approvalMs", rule));
  return problems;
}

/**
 * @throws CapstanError `invalid_rule` that names the first problem
 */
export function checkRules(what: string, rules: readonly unknown[]): void {
  for (const [index, rule] of rules.entries()) {
    const [problem] = ruleProblems(rule);
    if (problem === undefined) continue;
    const place = [`${what}[${index}]`, ...problem.path].join(".");
    throw new CapstanError({ code: "invalid_rule", message: `${place}: ${problem.message}.` });
  }
}

/** Returns the problems of conditions without a rule, for example of a grant that a user edits. */
export function conditionProblems(
  conditions: unknown,
  at: readonly string[] = [],
): readonly RuleProblem[] {
  const example = 'conditions by argument such as {"path": "docs/**"}';
  if (!isObject(conditions)) return [wrong(at, example, conditions)];
  const entries = Object.entries(conditions);
  if (entries.length === 0 || entries.length > most.conditions)
    return [wrong(at, `1 to ${most.conditions} ${example}`, conditions)];
  return entries.flatMap(([key, test]) => testProblems(test, [...at, key]));
}

function testProblems(test: unknown, at: readonly string[], negated = false): RuleProblem[] {
  if (typeof test === "string") return checkKeys({ path: test }, operatorChecks, at, at);
  if (typeof test === "boolean" || test === null || Number.isFinite(test)) return [];
  if (!isObject(test) || Object.keys(test).length === 0)
    return [wrong(at, `a value, a path pattern, or an object of ${operators.join(", ")}`, test)];
  const problems = checkKeys(test, operatorChecks, at);
  if (test["exists"] === false && Object.keys(test).length > 1)
    problems.push(
      wrong(
        [...at, "exists"],
        "no other operator next to false, because a missing argument has no value",
        test,
      ),
    );
  if (test["not"] === undefined) return problems;
  return negated
    ? [
        ...problems,
        wrong([...at, "not"], "an operator other than not, which cannot be nested", test["not"]),
      ]
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
      const hint =
        near === undefined ? `Known fields: ${known.join(", ")}.` : `Did you mean ${near}?`;
      return [{ path, message: `is not a known field. ${hint}` }];
    }
    const expected = value === undefined ? undefined : checks[key]?.(value);
    return expected === undefined ? [] : [wrong(path, expected, value)];
  });
}

function wrong(path: readonly string[], expected: string, value: unknown): RuleProblem {
  const got = value === undefined ? "nothing" : shortJson(value, 60);
  return { path, message: `expected ${expected}, got ${got}` };
}
