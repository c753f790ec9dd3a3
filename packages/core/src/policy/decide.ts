import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolArgs } from "../base/json.ts";
import type { GrantBook, GrantQuery } from "./grant-book.ts";
import type { ExecutionDecision } from "../tool/permission.ts";
import {
  approvalTimeRule,
  executionRule,
  executionStrictness,
  type PolicyRule,
  type RuledCall,
} from "./rule.ts";
import { ruledCall } from "./ruled-call.ts";

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
  if (grant !== undefined) return { verdict: "allow", by: "grant", reason: grant.title };
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
  return grants.find(new CallQuery(options, call), now);
}

/** A call as grants see it: what costs something is made when it is first looked at. */
class CallQuery implements GrantQuery {
  readonly toolId: string;
  readonly principalId: string;
  readonly #options: DecideOptions;
  readonly #call: RuledCall;

  constructor(options: DecideOptions, call: RuledCall) {
    this.toolId = options.registered.id;
    this.principalId = options.principalId;
    this.#options = options;
    this.#call = call;
  }

  get definitionDigest(): string {
    return this.#options.digests().definition;
  }

  get argsDigest(): string {
    return this.#options.digests().args;
  }

  get key(): string | undefined {
    return grantScope(this.#options.registered, this.#options.args)?.key;
  }

  get args(): ToolArgs {
    return this.#call.args;
  }
}

/** What a wider grant would hold for, where the tool says so. */
export function grantScope(
  { tool }: RegisteredTool,
  args: ToolArgs,
): ReturnType<NonNullable<NonNullable<typeof tool.permission>["grantScope"]>> | undefined {
  try {
    return tool.permission?.grantScope?.(args);
  } catch {
    return undefined;
  }
}
