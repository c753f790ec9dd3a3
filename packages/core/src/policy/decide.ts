import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolArgs } from "../tool/tool.ts";
import type { GrantBook } from "./grant-book.ts";
import type { ExecutionDecision } from "./policy.ts";
import { executionRule, type PolicyRule } from "./rule.ts";

/** What the request says of asking: `never` lifts the tool's own wish only, `always` tightens. */
export type RequireApproval = "always" | "never";

/** By `group.Tool`; undefined where the request says nothing. */
export type RequireApprovalOf = (toolId: string) => RequireApproval | undefined;

export interface DecideOptions {
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  /** Computed only where something needs it. */
  readonly digests: () => { readonly args: string; readonly definition: string };
  /** The administrator's. */
  readonly rules: readonly PolicyRule[];
  /** The user's. */
  readonly overrides: readonly PolicyRule[];
  readonly grants: GrantBook;
  readonly principalId?: string | undefined;
  readonly requireApproval?: RequireApproval | undefined;
  readonly now: number;
}

export type Decision =
  | { readonly verdict: "allow"; readonly by: "tool" | "rule" | "grant" | "request" }
  | { readonly verdict: "deny"; readonly by: "tool" | "rule" | "grant"; readonly reason: string }
  | { readonly verdict: "ask"; readonly remember: boolean; readonly reason: string };

/**
 * Whether a call may run. A deny from any source wins; then the administrator's rule, the user's
 * override, a grant, and the tool's own policy, in that order.
 *
 * A policy that throws asks: the person can see what the tool could not judge.
 */
export function decide(options: DecideOptions): Decision {
  const { registered, args } = options;
  const rule = executionRule(options.rules, registered.id);
  const override = executionRule(options.overrides, registered.id);
  const own = ownDecision(registered, args);
  const denial = forbids(options);
  if (denial !== undefined) return denied(denial.by, denial.reason);

  const chosen = rule?.execution ?? override?.execution;
  if (chosen === undefined && own === "auto" && options.requireApproval !== "always") {
    // A person's refusal of exactly this still holds.
    const refused = findGrant(options);
    return refused?.verdict === "refuse"
      ? denied("grant", refused.reason ?? "you refused it before")
      : { verdict: "allow", by: "tool" };
  }
  if (chosen === "auto" && options.requireApproval !== "always")
    return { verdict: "allow", by: "rule" };
  if (chosen === "ask-always")
    return asks(false, rule?.reason ?? override?.reason ?? "A rule asks every time.");

  const grant = findGrant(options);
  if (grant !== undefined) {
    if (grant.verdict === "refuse")
      return denied("grant", grant.reason ?? "a person refused this call before, for this session");
    // A request that wants every call asked about is not satisfied by an earlier word.
    if (options.requireApproval !== "always") return { verdict: "allow", by: "grant" };
  }
  if (chosen === "ask-once")
    return asks(true, rule?.reason ?? override?.reason ?? "A rule asks the first time.");
  if (options.requireApproval === "always") return asks(false, "The request asks for every call.");
  if (options.requireApproval === "never") return { verdict: "allow", by: "request" };
  return own === "ask-always"
    ? asks(false, "This tool asks every time.")
    : asks(true, "This tool asks the first time.");
}

/** What no approval lifts: a rule, an override or the tool itself says no to these arguments. */
export function forbids({
  registered,
  args,
  rules,
  overrides,
}: Pick<DecideOptions, "registered" | "args" | "rules" | "overrides">):
  | { readonly by: "rule" | "tool"; readonly reason: string }
  | undefined {
  const rule = executionRule(rules, registered.id);
  if (rule?.execution === "deny")
    return { by: "rule", reason: rule.reason ?? "the administrator's rules forbid it" };
  const override = executionRule(overrides, registered.id);
  if (override?.execution === "deny")
    return { by: "rule", reason: override.reason ?? "you switched it off for good" };
  if (ownDecision(registered, args) !== "deny") return undefined;
  return { by: "tool", reason: "the tool forbids it for these arguments" };
}

function ownDecision({ tool }: RegisteredTool, args: ToolArgs): ExecutionDecision {
  const policy = tool.permission?.executionPolicy ?? "ask-once";
  if (typeof policy !== "function") return policy;
  try {
    return policy(args);
  } catch {
    return "ask-always";
  }
}

function findGrant(options: DecideOptions) {
  const { registered, args, grants, principalId, now } = options;
  if (grants.isEmpty) return undefined;
  const digests = options.digests();
  const key = grantKey(registered, args)?.key;
  return grants.find(
    {
      toolId: registered.id,
      definitionDigest: digests.definition,
      argsDigest: digests.args,
      principalId,
      ...(key !== undefined && { key }),
    },
    now,
  );
}

/** The part of the arguments a wider grant would hold for, where the tool names one. */
export function grantKey(
  { tool }: RegisteredTool,
  args: ToolArgs,
): { readonly key: string; readonly title: string } | undefined {
  try {
    return tool.permission?.grantScope?.(args);
  } catch {
    return undefined;
  }
}

function denied(by: "tool" | "rule" | "grant", reason: string): Decision {
  return { verdict: "deny", by, reason };
}

function asks(remember: boolean, reason: string): Decision {
  return { verdict: "ask", remember, reason };
}
