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

/**
 * A request's setting for approvals. `never` overrides only the tool's own policy; `always`
 * requires approval for every call.
 */
export type RequireApproval = "always" | "never";

/** Returns the setting for a tool by `group.Tool`, or undefined if the request has none. */
export type RequireApprovalOf = (toolId: string) => RequireApproval | undefined;

/** The options of `decide`. */
export interface DecideOptions {
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  /** Computes the digest of the arguments, which takes longer than most of the gate. */
  readonly argsDigest: () => string;
  /** The administrator's rules. */
  readonly rules: readonly PolicyRule[];
  /** The user's overrides. */
  readonly overrides: readonly PolicyRule[];
  readonly grants: GrantBook;
  /** The principal that the call belongs to. */
  readonly principalId: string;
  readonly requireApproval?: RequireApproval | undefined;
  readonly now: number;
}

/** `rule` is the administrator's rule, `override` the user's own. */
export type Decision =
  | {
      readonly verdict: "allow";
      readonly by: "tool" | "rule" | "override" | "grant" | "request";
      readonly reason?: string;
      /** True if the grant covers exactly these arguments. */
      readonly isExact?: boolean;
    }
  | { readonly verdict: "deny"; readonly by: DenialSource | "grant"; readonly reason: string }
  | {
      readonly verdict: "ask";
      /** An answer without a scope applies to calls with exactly these arguments. */
      readonly remember: boolean;
      /** An answer may cover more than this call. */
      readonly grantable: boolean;
      readonly reason: string;
      /** Milliseconds until the request expires, if a rule or the tool sets it. */
      readonly approvalMs?: number;
    };

/** The sources of a denial that no user's approval overrides. */
export type DenialSource = "tool" | "rule" | "override";

/**
 * Decides whether a call may run. A denial from any source wins: a rule, an override, the tool, or
 * a user's remembered rejection. Otherwise the administrator's rule applies, which the user's
 * override may tighten. If there is none, the first of these applies: the override, a grant, the
 * tool's own policy.
 *
 * If a tool's policy throws or is invalid, the call needs approval: the user can judge it.
 */
export function decide(options: DecideOptions): Decision {
  const { registered, args, requireApproval } = options;
  const call = ruledCall(registered, args);
  const denial = forbidden(options, call);
  if (denial !== undefined) return { verdict: "deny", ...denial };
  const grant = findGrant(options, call);
  if (grant?.verdict === "refuse")
    return { verdict: "deny", by: "grant", reason: remembered(grant.reason) };

  const chosen = appliedRule(options, call);
  const setting = chosen?.rule.execution;
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

  if (chosen !== undefined && setting === "ask-always")
    return ask(false, false, ruleText(chosen, "requires approval every time"));
  // Earlier answers do not satisfy a request that requires approval for every call.
  if (requireApproval === "always")
    return ask(false, false, "The request requires approval for every call.");
  if (chosen !== undefined && setting === "auto") return { verdict: "allow", by: chosen.by };
  if (chosen === undefined && own === "auto") return { verdict: "allow", by: "tool" };
  if (grant !== undefined) {
    const isExact = grant.match.type === "arguments";
    return { verdict: "allow", by: "grant", reason: grant.title, ...(isExact && { isExact }) };
  }
  if (chosen !== undefined && setting === "ask-once")
    return ask(true, true, ruleText(chosen, "requires approval the first time"));
  if (requireApproval === "never" && call.asksUser !== true)
    return { verdict: "allow", by: "request" };
  return own === "ask-always"
    ? ask(false, true, "This tool requires approval for every call, until you allow several.")
    : ask(true, true, "This tool requires approval the first time.");
}

/**
 * Returns the denial that no approval overrides: a rule, an override or the tool itself forbids
 * these arguments.
 */
export function forbids(
  options: Pick<DecideOptions, "registered" | "args" | "rules" | "overrides">,
): { readonly by: DenialSource; readonly reason: string } | undefined {
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
): { readonly by: DenialSource; readonly reason: string } | undefined {
  const rule = executionRule(rules, call);
  if (rule?.execution === "deny")
    return { by: "rule", reason: rule.reason ?? "the administrator's rules forbid it" };
  const override = executionRule(overrides, call);
  if (override?.execution === "deny")
    return { by: "override", reason: override.reason ?? "the user's own rules forbid it" };
  if (ownDecision(registered, args) !== "deny") return undefined;
  return { by: "tool", reason: "the tool forbids it for these arguments" };
}

interface AppliedRule {
  readonly by: "rule" | "override";
  readonly rule: PolicyRule;
}

/**
 * Returns the rule that applies. Any source may require more approvals, but only the administrator
 * may require fewer.
 */
function appliedRule(
  { rules, overrides }: DecideOptions,
  call: RuledCall,
): AppliedRule | undefined {
  const rule = executionRule(rules, call);
  const override = executionRule(overrides, call);
  if (rule?.execution === undefined)
    return override === undefined ? undefined : { by: "override", rule: override };
  const tightens =
    override?.execution !== undefined &&
    executionStrictness(override.execution) > executionStrictness(rule.execution);
  return tightens ? { by: "override", rule: override } : { by: "rule", rule };
}

function ruleText({ by, rule }: AppliedRule, asks: string): string {
  const source = by === "rule" ? "An administrator's rule" : "Your own rule";
  return `${source} ${asks}${rule.reason === undefined ? "." : `: ${rule.reason}`}`;
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
    const setting = policy(args);
    return executionStrictness(setting) === -1 ? "ask-always" : setting;
  } catch {
    return "ask-always";
  }
}

function remembered(reason: string | undefined): string {
  const why = reason === undefined ? "" : ` (${reason})`;
  return `a user rejected exactly this call before${why}, and the rejection applies until a user revokes it`;
}

function findGrant(options: DecideOptions, call: RuledCall) {
  const { registered, grants, now } = options;
  if (!grants.hasFor(registered.id)) return undefined;
  return grants.find(callQuery(options, call), now);
}

/**
 * Returns a request's approval setting for a tool. An invalid value is an error, because it may be
 * meant to require more approvals.
 *
 * @throws CapstanError `invalid_options`
 */
export function requiredApproval(
  given: RequireApproval | RequireApprovalOf | undefined,
  toolId: string,
): RequireApproval | undefined {
  const setting = typeof given === "function" ? callbackResult(given, toolId) : given;
  if (setting === "always" || setting === "never") return setting;
  if (setting === undefined || setting === null) return undefined;
  const message = `requireApproval is ${shortJson(setting)} for ${toolId}: expected "always", "never" or undefined, not a promise.`;
  throw new CapstanError({ code: "invalid_options", message });
}

function callbackResult(given: RequireApprovalOf, toolId: string): unknown {
  try {
    return given(toolId);
  } catch (thrown) {
    const message = `requireApproval threw for ${toolId}: ${errorMessage(thrown)}`;
    throw new CapstanError({ code: "invalid_options", message, cause: thrown });
  }
}

/** The options of `reviewReason`. */
export interface ReviewOptions {
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  readonly isError: boolean;
  readonly rules: readonly PolicyRule[];
  readonly overrides: readonly PolicyRule[];
  /** False overrides the tool's own request for a review, never a rule. */
  readonly checkToolResults: boolean;
}

/**
 * Returns why a user must review this result first: a rule, an override, or the tool's own policy.
 * Returns undefined if no review is required.
 */
export function reviewReason(policy: ReviewOptions): string | undefined {
  const { registered, isError, checkToolResults } = policy;
  const { rule, chosen } = appliedResultRule(policy);
  const own = checkToolResults ? registered.tool.permission?.resultApprovalPolicy : "never";
  const setting = chosen?.result ?? own ?? "never";
  if (!asks(setting, isError)) return undefined;
  const what = setting === "on-error" ? "its failures" : "its results";
  if (chosen === undefined) return `This tool requires a user to review ${what} first.`;
  const source = chosen === rule ? "An administrator's rule" : "Your own rule";
  const why = chosen.reason === undefined ? "." : `: ${chosen.reason}`;
  return `${source} requires a user to review ${what} first${why}`;
}

/** Returns the administrator's rule for this result, and the rule that applies. */
function appliedResultRule({ registered, args, rules, overrides }: ReviewOptions): {
  readonly rule?: PolicyRule | undefined;
  readonly chosen?: PolicyRule | undefined;
} {
  if (rules.length === 0 && overrides.length === 0) return {};
  const call = ruledCall(registered, args);
  const rule = resultRule(rules, call);
  // A user may require more reviews than the administrator's rule, not fewer.
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
