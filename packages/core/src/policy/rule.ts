import type { ExecutionDecision, ResultApprovalPolicy } from "./policy.ts";

/** A rule as data: an administrator's, or a user's override. */
export interface PolicyRule {
  /** `files.ViewFile`, `files.*` or `*`. The most specific one that says something wins. */
  readonly tool: string;
  readonly execution?: ExecutionDecision;
  readonly result?: ResultApprovalPolicy;
  /** Shown to the person who is asked, or to the model that is refused. */
  readonly reason?: string;
}

/** What the rules say of one tool's execution; undefined where they say nothing. */
export function executionRule(
  rules: readonly PolicyRule[],
  toolId: string,
): PolicyRule | undefined {
  return mostSpecific(rules, toolId, (rule) => rule.execution !== undefined);
}

export function resultRule(rules: readonly PolicyRule[], toolId: string): PolicyRule | undefined {
  return mostSpecific(rules, toolId, (rule) => rule.result !== undefined);
}

function mostSpecific(
  rules: readonly PolicyRule[],
  toolId: string,
  says: (rule: PolicyRule) => boolean,
): PolicyRule | undefined {
  let best: PolicyRule | undefined;
  for (const rule of rules) {
    if (!says(rule) || !covers(rule.tool, toolId)) continue;
    if (best === undefined || rule.tool.length > best.tool.length) best = rule;
  }
  return best;
}

function covers(pattern: string, toolId: string): boolean {
  if (pattern === "*" || pattern === toolId) return true;
  return pattern.endsWith(".*") && toolId.startsWith(pattern.slice(0, -1));
}
