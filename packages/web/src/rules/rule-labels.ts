import type { OverrideView } from "@capstan/contract";

export type ExecutionSetting = NonNullable<OverrideView["execution"]>;
export type ResultSetting = NonNullable<OverrideView["result"]>;

/** What becomes of a call, as people read it. */
export const executionLabels: { readonly [word in ExecutionSetting]: string } = {
  auto: "runs without asking",
  "ask-once": "asks the first time",
  "ask-always": "asks every time",
  deny: "never runs",
};

/** Whether its result is seen by the person first. */
export const resultLabels: { readonly [word in ResultSetting]: string } = {
  never: "results go to the model at once",
  "on-error": "I see failures first",
  always: "I see results first",
};

/** Everything that a rule says, in one line. */
export function ruleText({ execution, result, approvalMs }: OverrideView): string {
  const parts = [
    ...(execution === undefined ? [] : [executionLabels[execution]]),
    ...(result === undefined ? [] : [resultLabels[result]]),
    ...(approvalMs === undefined ? [] : [`questions stay open for ${minutesText(approvalMs)}`]),
  ];
  return parts.join(" · ");
}

function minutesText(ms: number): string {
  const minutes = ms / 60_000;
  return minutes === 1 ? "a minute" : `${Number(minutes.toFixed(2))} minutes`;
}
