import { type Overruled, overruled, type PolicyRule } from "@capstan/core";
import { conditionsText, namesTool } from "@capstan/core/host";
import type { OverrideView } from "@capstan/contract";
import type { OverrideRecord } from "@capstan/store";

/** Shows a user's own rules, and says what of them an administrator's rule makes void. */
export function overrideViews({
  rules,
  toolIds,
}: {
  /** The administrator's. */
  readonly rules: readonly PolicyRule[];
  readonly toolIds: readonly string[];
}): (record: OverrideRecord) => OverrideView {
  return ({ id, rule, createdAt, updatedAt, isDamaged }) => {
    const title =
      rule.when === undefined ? rule.tool : `${rule.tool} where ${conditionsText(rule.when)}`;
    const view = { ...rule, object: "override", id, title, createdAt, updatedAt } as const;
    if (isDamaged === true) {
      const note =
        "This rule is damaged and cannot be read. It denies all calls until you remove it.";
      return { ...view, effect: "full", notes: [note], damaged: true };
    }
    if (!toolIds.some((toolId) => namesTool(rule.tool, toolId)))
      return {
        ...view,
        effect: "none",
        notes: [`It has no effect: there is no ${rule.tool} here.`],
      };
    const found = overruled({ rule, rules, toolIds });
    const said = (["execution", "result", "approvalMs"] as const).filter(
      (field) => rule[field] !== undefined,
    );
    const isVoid = said.every((field) =>
      found.some((one) => one.field === field && one.calls === "all"),
    );
    const effect = isVoid ? "none" : found.length > 0 ? "partial" : "full";
    return { ...view, effect, notes: found.map((one) => note(one, isVoid)) };
  };
}

const subjects = {
  execution: "What it says of asking",
  result: "What it says of results",
  approvalMs: "What it says of the time to answer",
} as const satisfies { readonly [field in Overruled["field"]]: string };

function note({ field, calls, by }: Overruled, isVoid: boolean): string {
  const what = isVoid ? "It" : subjects[field];
  const has = calls === "all" ? "has no effect" : "has no effect for some calls";
  const whose = `the administrator's rule for ${by.tool}${by.when === undefined ? "" : " with certain arguments"}`;
  const why = by.reason === undefined ? "." : `: ${by.reason}`;
  return `${what} ${has}: ${whose} ${verb(field, by)}${why}`;
}

function verb(field: Overruled["field"], by: PolicyRule): string {
  if (field === "approvalMs") return "sets that time";
  if (field === "result")
    return by.result === "on-error" ? "has failures reviewed" : "has results reviewed";
  switch (by.execution) {
    case "deny":
      return "forbids it";
    case "ask-always":
      return "asks every time";
    default:
      return "asks the first time";
  }
}
