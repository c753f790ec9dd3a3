import type { OverrideChange, OverrideView } from "@capstan/contract";
import { withoutPlace } from "../api/api-error.ts";
import { type ConditionDraft, readConditions } from "./condition-draft.ts";
import type { ExecutionSetting, ResultSetting } from "./rule-labels.ts";
import { rulesTexts } from "../texts/rules.ts";

/** A rule while the user edits it; fields without a setting are empty. */
export interface RuleDraft {
  readonly tool: string;
  readonly conditions: readonly ConditionDraft[];
  readonly execution: ExecutionSetting | "";
  readonly result: ResultSetting | "";
  readonly minutes: string;
  readonly reason: string;
}

/** An error and its field; `condition` is the number of the condition. */
export interface RuleError {
  readonly field: "tool" | "condition" | "execution" | "result" | "minutes" | "reason" | "rule";
  readonly condition?: number;
  readonly message: string;
}

/** Returns the draft of a new rule, or of an existing one. */
export function ruleDraft(rule?: OverrideView): RuleDraft {
  return {
    tool: rule?.tool ?? "",
    conditions: [],
    execution: rule?.execution ?? "",
    result: rule?.result ?? "",
    minutes: rule?.approvalMs === undefined ? "" : String(rule.approvalMs / 60_000),
    reason: rule?.reason ?? "",
  };
}

/**
 * Returns the change to send, or the error. Empty fields of an existing rule are reset; empty
 * fields of a new rule are omitted, so that a rule for the same calls keeps its settings.
 */
export function readDraft(
  draft: RuleDraft,
  { rule, typeOf }: { readonly rule?: OverrideView | undefined; typeOf: (name: string) => unknown },
):
  | { readonly type: "change"; readonly change: OverrideChange }
  | { readonly type: "invalid"; readonly error: RuleError } {
  const tool = draft.tool.trim();
  if (tool === "") return invalid("tool", rulesTexts.errors.tool);
  const conditions = readConditions(draft.conditions, typeOf);
  if (conditions.type === "invalid")
    return invalid("condition", conditions.message, conditions.index);
  const minutes = Number(draft.minutes);
  if (draft.minutes.trim() !== "" && !(minutes > 0))
    return invalid("minutes", rulesTexts.errors.minutes);
  if (draft.execution === "" && draft.result === "" && draft.minutes.trim() === "")
    return invalid(
      "execution",
      rule === undefined ? rulesTexts.errors.noSetting : rulesTexts.errors.emptied,
    );
  const when = rule === undefined ? conditions.when : rule.when;
  const said = {
    execution: draft.execution || null,
    result: draft.result || null,
    approvalMs: draft.minutes.trim() === "" ? null : Math.round(minutes * 60_000),
    reason: draft.reason.trim() || null,
  };
  const words = Object.entries(said).filter(([, word]) => rule !== undefined || word !== null);
  const change: OverrideChange = {
    tool,
    ...(when !== undefined && { when }),
    ...Object.fromEntries(words),
  };
  return { type: "change", change };
}

/** Finds the field of the server's error, and removes the field's name from the message. */
export function refusedAt(
  param: string,
  said: string,
  conditions: readonly ConditionDraft[],
): RuleError {
  const [first, argument] = param.split(".");
  const message = withoutPlace(said, param);
  switch (first) {
    case "tool":
    case "execution":
    case "result":
    case "reason":
      return { field: first, message };
    case "approvalMs":
      return { field: "minutes", message };
    case "when": {
      const index = conditions.findIndex((one) => one.argument.trim() === argument);
      return { field: "condition", condition: Math.max(0, index), message };
    }
    default:
      return { field: "rule", message };
  }
}

function invalid(field: RuleError["field"], message: string, condition?: number) {
  return {
    type: "invalid",
    error: { field, message, ...(condition !== undefined && { condition }) },
  } as const;
}
