import type { OverrideChange, OverrideView } from "@capstan/contract";
import { withoutPlace } from "../api/api-error.ts";
import { type ConditionDraft, readConditions } from "./condition-draft.ts";
import type { ExecutionSetting, ResultSetting } from "./rule-labels.ts";

/** A rule as it is being written; empty where it says nothing. */
export interface RuleDraft {
  readonly tool: string;
  readonly conditions: readonly ConditionDraft[];
  readonly execution: ExecutionSetting | "";
  readonly result: ResultSetting | "";
  readonly minutes: string;
  readonly reason: string;
}

/** What is wrong, by field; `condition` says which one. */
export interface RuleError {
  readonly field: "tool" | "condition" | "execution" | "result" | "minutes" | "reason" | "rule";
  readonly condition?: number;
  readonly message: string;
}

/** A new rule, or one that is there as it says now. */
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
 * What to send, or what is wrong. Of a rule that is there what is empty is taken back; of a new
 * one it is left out, so that a rule for the same calls keeps what it says.
 */
export function readDraft(
  draft: RuleDraft,
  { rule, typeOf }: { readonly rule?: OverrideView | undefined; typeOf: (name: string) => unknown },
):
  | { readonly type: "change"; readonly change: OverrideChange }
  | { readonly type: "invalid"; readonly error: RuleError } {
  const tool = draft.tool.trim();
  if (tool === "")
    return invalid("tool", "Which tool? For instance files.ViewFile, files.* for a group, or *.");
  const conditions = readConditions(draft.conditions, typeOf);
  if (conditions.type === "invalid")
    return invalid("condition", conditions.message, conditions.index);
  const minutes = Number(draft.minutes);
  if (draft.minutes.trim() !== "" && !(minutes > 0))
    return invalid("minutes", "Write a number of minutes above 0, or nothing.");
  if (draft.execution === "" && draft.result === "" && draft.minutes.trim() === "")
    return invalid(
      "execution",
      rule === undefined
        ? "Choose what becomes of such calls, or of their results."
        : "A rule that says nothing is none: choose one of these, or remove the rule.",
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

/** Where the server's refusal belongs. It begins with the place, which the field shows. */
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
