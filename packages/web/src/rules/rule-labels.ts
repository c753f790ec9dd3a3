import type { OverrideView } from "@capstan/contract";
import { rulesTexts } from "../texts/rules.ts";

export type ExecutionSetting = NonNullable<OverrideView["execution"]>;
export type ResultSetting = NonNullable<OverrideView["result"]>;

/** The label of each execution setting. */
export const executionLabels: { readonly [word in ExecutionSetting]: string } =
  rulesTexts.executions;

/** The label of each result setting. */
export const resultLabels: { readonly [word in ResultSetting]: string } = rulesTexts.results;

/** Describes all settings of a rule in one line. */
export function ruleText({ execution, result, approvalMs }: OverrideView): string {
  const parts = [
    ...(execution === undefined ? [] : [executionLabels[execution]]),
    ...(result === undefined ? [] : [resultLabels[result]]),
    ...(approvalMs === undefined
      ? []
      : [rulesTexts.approvalTime(Number((approvalMs / 60_000).toFixed(2)))]),
  ];
  return parts.join(" · ");
}
