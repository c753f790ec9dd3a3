import { shortJson } from "../json/short-json.ts";
import { CapstanError, errorMessage } from "../base/errors.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolArgs } from "../base/json.ts";
import { type GrantBook, callQuery } from "./grant.ts";
import type { ExecutionDecision, ResultApprovalPolicy } from "../tool/tool.ts";
import {
  approvalTimeRule,
  executionRule,
  executionStrictness,
  type PolicyRule,
  resultRule,
  resultStrictness,
  type RuledCall,
  ruledCall,
} from "./rule.ts";

/** What the request says of asking: `never` lifts the tool's own wish only, `always` tightens. */
export type RequireApproval = "always" | "never";

/** By `group.Tool`; undefined where the request says nothing. */
export type RequireApprovalOf = (toolId: string) => RequireApproval | undefined;

export interface DecideOptions {
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  /** Computes the digest of the arguments, which costs more than most of the gate. */
  readonly argsDigest: () => string;
  /** The administrator's. */
  readonly rules: readonly PolicyRule[];
  /** The user's. */
  readonly overrides: readonly PolicyRule[];
  readonly grants: GrantBook;
  /** For whom the call is made. */
  readonly principalId: string;
  readonly requireApproval?: RequireApproval | undefined;
  readonly now: number;
}

/** `rule` is the administrator's, `override` the user's own. */
export type Decision =
  | {
      readonly verdict: "allow";
      readonly by: "tool" | "rule" | "override" | "grant" | "request";
      readonly reason?: string;
      /** A grant for exactly these arguments. */
      readonly isExact?: boolean;
    }
  | { readonly verdict: "deny"; readonly by: Denier | "grant"; readonly reason: string }
  | {
      readonly verdict: "ask";
      /** A plain answer holds for exactly these arguments. */
      readonly remember: boolean;
      /** An answer may hold for more than this call. */
      readonly grantable: boolean;
      readonly reason: string;
      /** Milliseconds that the question stays open, where rule or tool say so. */
      readonly approvalMs?: number;
    };

/** Who can forbid what no person's word lifts. */
export type Denier = "tool" | "rule" | "override";

/**
 * Whether a call may run. A deny from any source wins: a rule's, an override's, the tool's own, a
 * person's remembered refusal. Then the administrator's rule counts, which the user's override
 * may tighten; without one the override; then a grant; then the tool's own policy.
 *
 * A policy that throws or makes no sense asks: the person can see what the tool could not judge.
 */
export function decide(options: DecideOptions): Decision {
  const { registered, args, requireApproval } = options;
  const call = ruledCall(registered, args);
  const denial = forbidden(options, call);
  if (denial !== undefined) return { verdict: "deny", ...denial };
  const grant = findGrant(options, call);
  if (grant?.verdict === "refuse")
    return { verdict: "deny", by: "grant", reason: remembered(grant.reason) };

  const chosen = ruling(options, call);
  const word = chosen?.rule.execution;
  const own = ownDecision(registered, args);
  const ask = (remember: boolean, grantable: boolean, reason: string): Decision => {
    const approvalMs = approvalTime(options, call);
    return {
      verdict: "ask",
      remember,
      grantable,
      reason,
      ...(approvalMs !== undefined && { approvalMs }),
    };
  };

  if (chosen !== undefined && word === "ask-always")
    return ask(false, false, ruleText(chosen, "asks every time"));
  // A request that wants every call asked about is not satisfied by an earlier word.
  if (requireApproval === "always") return ask(false, false, "The request asks for every call.");
  if (chosen !== undefined && word === "auto") return { verdict: "allow", by: chosen.by };
  if (chosen === undefined && own === "auto") return { verdict: "allow", by: "tool" };
  if (grant !== undefined) {
    const isExact = grant.match.type === "arguments";
    return { verdict: "allow", by: "grant", reason: grant.title, ...(isExact && { isExact }) };
  }
  if (chosen !== undefined && word === "ask-once")
    return ask(true, true, ruleText(chosen, "asks the first time"));
  if (requireApproval === "never") return { verdict: "allow", by: "request" };
  return own === "ask-always"
    ? ask(false, true, "This tool asks for every call, until you allow more than one.")
    : ask(true, true, "This tool asks the first time.");
}

/** What no approval lifts: a rule, an override or the tool itself says no to these arguments. */
export function forbids(
  options: Pick<DecideOptions, "registered" | "args" | "rules" | "overrides">,
): { readonly by: Denier; readonly reason: string } | undefined {
  return forbidden(options, ruledCall(options.registered, options.args));
}

function forbidden(
  {
    registered,
    args,
    rules,
    overrides,
  }: Pick<DecideOptions, "registered" | "args" | "rules" | "overrides">,
  call: RuledCall,
): { readonly by: Denier; readonly reason: string } | undefined {
  const rule = executionRule(rules, call);
  if (rule?.execution === "deny")
    return { by: "rule", reason: rule.reason ?? "the administrator's rules forbid it" };
  const override = executionRule(overrides, call);
  if (override?.execution === "deny")
    return { by: "override", reason: override.reason ?? "the user's own rules forbid it" };
  if (ownDecision(registered, args) !== "deny") return undefined;
  return { by: "tool", reason: "the tool forbids it for these arguments" };
}

interface Ruling {
  readonly by: "rule" | "override";
  readonly rule: PolicyRule;
}

/** The rule that counts. Who is asked more may be anybody's wish, who is asked less is the administrator's alone. */
function ruling({ rules, overrides }: DecideOptions, call: RuledCall): Ruling | undefined {
  const rule = executionRule(rules, call);
  const override = executionRule(overrides, call);
  if (rule?.execution === undefined)
    return override === undefined ? undefined : { by: "override", rule: override };
  const tightens =
    override?.execution !== undefined &&
    executionStrictness(override.execution) > executionStrictness(rule.execution);
  return tightens ? { by: "override", rule: override } : { by: "rule", rule };
}

function ruleText({ by, rule }: Ruling, asks: string): string {
  const whose = by === "rule" ? "A rule of the administrator" : "Your own rule";
  return `${whose} ${asks}${rule.reason === undefined ? "." : `: ${rule.reason}`}`;
}

function approvalTime(
  { rules, overrides, registered }: DecideOptions,
  call: RuledCall,
): number | undefined {
  return (
    approvalTimeRule(rules, call)?.approvalMs ??
    approvalTimeRule(overrides, call)?.approvalMs ??
    registered.tool.permission?.approvalMs
  );
}

function ownDecision({ tool }: RegisteredTool, args: ToolArgs): ExecutionDecision {
  const policy = tool.permission?.executionPolicy ?? "ask-once";
  if (typeof policy !== "function") return policy;
  try {
    const word = policy(args);
    return executionStrictness(word) === -1 ? "ask-always" : word;
  } catch {
    return "ask-always";
  }
}

function remembered(reason: string | undefined): string {
  const why = reason === undefined ? "" : ` (${reason})`;
  return `a person refused exactly this before${why}, and that is remembered until they take it back`;
}

function findGrant(options: DecideOptions, call: RuledCall) {
  const { registered, grants, now } = options;
  if (!grants.hasFor(registered.id)) return undefined;
  return grants.find(callQuery(options, call), now);
}

/**
 * What a request says of asking about a tool. A word that is none is no word to run on: it may
 * have been meant to tighten.
 *
 * @throws CapstanError `invalid_options`
 */
export function requiredApproval(
  given: RequireApproval | RequireApprovalOf | undefined,
  toolId: string,
): RequireApproval | undefined {
  const word = typeof given === "function" ? wordOf(given, toolId) : given;
  if (word === "always" || word === "never") return word;
  if (word === undefined || word === null) return undefined;
  const message = `requireApproval gave ${shortJson(word)} for ${toolId}: it should say "always", "never" or nothing, at once.`;
  throw new CapstanError({ code: "invalid_options", message });
}

function wordOf(given: RequireApprovalOf, toolId: string): unknown {
  try {
    return given(toolId);
  } catch (thrown) {
    const message = `requireApproval threw for ${toolId}: ${errorMessage(thrown)}`;
    throw new CapstanError({ code: "invalid_options", message, cause: thrown });
  }
}

export interface ReviewOptions {
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  readonly isError: boolean;
  readonly rules: readonly PolicyRule[];
  readonly overrides: readonly PolicyRule[];
  /** False lifts the tool's own wish, never a rule. */
  readonly checkToolResults: boolean;
}

/** Why a person must see this result first: by a rule, an override, or the tool's own wish. Undefined where nobody must. */
export function reviewReason(policy: ReviewOptions): string | undefined {
  const { registered, isError, checkToolResults } = policy;
  const { rule, chosen } = resultRuling(policy);
  const own = checkToolResults ? registered.tool.permission?.resultApprovalPolicy : "never";
  const wish = chosen?.result ?? own ?? "never";
  if (!asks(wish, isError)) return undefined;
  const what = wish === "on-error" ? "its failures" : "its results";
  if (chosen === undefined) return `This tool wants ${what} seen by a person first.`;
  const whose = chosen === rule ? "A rule of the administrator" : "Your own rule";
  const why = chosen.reason === undefined ? "." : `: ${chosen.reason}`;
  return `${whose} wants ${what} seen by a person first${why}`;
}

/** The administrator's rule on this result, and the one that counts. */
function resultRuling({ registered, args, rules, overrides }: ReviewOptions): {
  readonly rule?: PolicyRule | undefined;
  readonly chosen?: PolicyRule | undefined;
} {
  if (rules.length === 0 && overrides.length === 0) return {};
  const call = ruledCall(registered, args);
  const rule = resultRule(rules, call);
  // The user may see more than the administrator's rule asks for, not less.
  return { rule, chosen: stricter(rule, resultRule(overrides, call)) };
}

function stricter(
  one: PolicyRule | undefined,
  other: PolicyRule | undefined,
): PolicyRule | undefined {
  if (one?.result === undefined || other?.result === undefined) return one ?? other;
  return resultStrictness(other.result) > resultStrictness(one.result) ? other : one;
}

function asks(policy: ResultApprovalPolicy, isError: boolean): boolean {
  return policy === "always" || (policy === "on-error" && isError);
}
