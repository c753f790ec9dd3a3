import { canonicalJson } from "../json/json-value.ts";
import {
  executionStrictness,
  isAbove,
  namesTool,
  type PolicyRule,
  resultStrictness,
  specificity,
} from "./rule.ts";

/** A setting of a user's rule that an administrator's rule overrides. */
export interface Overruled {
  readonly field: "execution" | "result" | "approvalMs";
  /**
   * `all`: the setting has no effect on any call of the rule. `some`: it still has an effect on
   * calls to which the administrator's rule does not apply.
   */
  readonly calls: "all" | "some";
  /** The administrator's rule that applies. */
  readonly by: PolicyRule;
}

/** The options of `overruled`. */
export interface OverruledOptions {
  /** The user's rule. */
  readonly rule: PolicyRule;
  /** The administrator's rules. */
  readonly rules: readonly PolicyRule[];
  /** All registered tools, as `group.Tool`. */
  readonly toolIds: readonly string[];
}

/**
 * Returns the settings of a user's rule that have no effect, because only the administrator may
 * require fewer approvals. Settings that require as much or more are not reported.
 *
 * @example
 * overruled({
 *   rule: { tool: "files.*", execution: "auto" },
 *   rules: [{ tool: "*", execution: "ask-always" }],
 *   toolIds: ["files.ViewFile"],
 * }); // [{ field: "execution", calls: "all", by: { tool: "*", execution: "ask-always" } }]
 */
export function overruled({ rule, rules, toolIds }: OverruledOptions): readonly Overruled[] {
  const matchingIds = toolIds.filter((id) => namesTool(rule.tool, id));
  return fields.flatMap((field): readonly Overruled[] => {
    if (rule[field] === undefined) return [];
    const found = matchingIds.map((id) => overruledFor(id, { field, rule, rules }));
    const first = found.find((one) => one !== undefined);
    if (first === undefined) return [];
    const calls = found.every((one) => one?.calls === "all") ? "all" : "some";
    return [{ ...first, calls }];
  });
}

const fields = ["execution", "result", "approvalMs"] as const;

function overruledFor(
  toolId: string,
  {
    field,
    rule,
    rules,
  }: Pick<OverruledOptions, "rule" | "rules"> & { readonly field: Overruled["field"] },
): Overruled | undefined {
  const about = rules.filter((one) => one[field] !== undefined && namesTool(one.tool, toolId));
  const always = about.filter((one) => coversAll(one, rule));
  const denies = always.find((one) => field === "execution" && one.execution === "deny");
  const narrowest = denies ?? always.reduce<PolicyRule | undefined>(narrower, undefined);
  // Ignores rules that have no effect because a narrower rule always applies. A rule that denies
  // always has an effect.
  const counting = about.filter(
    (one) =>
      narrowest === undefined ||
      one === narrowest ||
      one.execution === "deny" ||
      (denies === undefined && !isAbove(specificity(narrowest), specificity(one))),
  );
  const overruling = counting.filter((one) => isStricter(one, rule, field));
  const [by] = overruling.includes(narrowest as PolicyRule)
    ? [narrowest as PolicyRule]
    : overruling;
  if (by === undefined) return undefined;
  const all = narrowest !== undefined && overruling.length === counting.length;
  return { field, calls: all || by === denies ? "all" : "some", by };
}

/**
 * Whether a rule applies to every call of the other rule: it has no conditions, or the same
 * conditions.
 */
function coversAll(one: PolicyRule, other: PolicyRule): boolean {
  if (one.when === undefined) return true;
  return other.when !== undefined && canonicalJson(one.when) === canonicalJson(other.when);
}

function narrower(best: PolicyRule | undefined, one: PolicyRule): PolicyRule {
  return best === undefined || isAbove(specificity(one), specificity(best)) ? one : best;
}

function isStricter(by: PolicyRule, rule: PolicyRule, field: Overruled["field"]): boolean {
  switch (field) {
    case "execution":
      return (
        executionStrictness(by.execution ?? "auto") > executionStrictness(rule.execution ?? "auto")
      );
    case "result":
      return resultStrictness(by.result ?? "never") > resultStrictness(rule.result ?? "never");
    case "approvalMs":
      return by.approvalMs !== rule.approvalMs;
  }
}
