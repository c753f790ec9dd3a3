import type { OverrideView } from "@capstan/contract";

export type ExecutionWord = NonNullable<OverrideView["execution"]>;
export type ResultWord = NonNullable<OverrideView["result"]>;

/** What becomes of a call, as people read it. */
export const executionWords: { readonly [word in ExecutionWord]: string } = {
  auto: "runs without asking",
  "ask-once": "asks the first time",
  "ask-always": "asks every time",
  deny: "never runs",
};

/** Whether its result is seen by the person first. */
export const resultWords: { readonly [word in ResultWord]: string } = {
  never: "results go to the model at once",
  "on-error": "I see failures first",
  always: "I see results first",
};

/** Everything that a rule says, in one line. */
export function ruleText({ execution, result, approvalMs }: OverrideView): string {
  const parts = [
    ...(execution === undefined ? [] : [executionWords[execution]]),
    ...(result === undefined ? [] : [resultWords[result]]),
    ...(approvalMs === undefined ? [] : [`questions stay open for ${minutesText(approvalMs)}`]),
  ];
  return parts.join(" · ");
}

function minutesText(ms: number): string {
  const minutes = ms / 60_000;
  return minutes === 1 ? "a minute" : `${Number(minutes.toFixed(2))} minutes`;
}
