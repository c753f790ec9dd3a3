import type { CallDecision, ReviewOutcome } from "../run/run-event.ts";

const deciders: { readonly [by in Exclude<CallDecision["by"], "system">]: string } = {
  tool: "by the tool's own policy",
  rule: "by a rule of the administrator",
  override: "by your own rule",
  grant: "by what you said before",
  person: "by you",
  request: "by the request",
};

/** Who decided on a call, and why. */
export function decisionText(decision: CallDecision): string {
  const verdict = decision.verdict === "allowed" ? "Allowed" : "Refused";
  const reason =
    decision.reason === undefined || decision.reason === "" ? "" : `: ${decision.reason}`;
  if (decision.by === "system") return `Not allowed${reason}`;
  return `${verdict} ${deciders[decision.by]}${reason}`;
}

const done: { readonly [outcome in ReviewOutcome["outcome"]]: string } = {
  released: "The result was released as it was",
  redacted: "Words were taken out of the result",
  replaced: "Another text was put in the result's place",
  withheld: "The result was withheld from the model",
};

/** What was done with a result that a person had to see first. */
export function reviewText({ outcome, by, reason }: ReviewOutcome): string {
  const who = by === "person" ? " by you" : "";
  return `${done[outcome]}${who}${reason === undefined ? "" : `: ${reason}`}.`;
}
