import type { CallDecision, ReviewOutcome } from "../run/run-event.ts";
import { callsTexts } from "../texts/calls.ts";

const deciders: { readonly [by in Exclude<CallDecision["by"], "system">]: string } =
  callsTexts.decision.by;

/** Describes who decided on a call, and why. */
export function decisionText(decision: CallDecision): string {
  const verdict =
    decision.verdict === "allowed" ? callsTexts.decision.allowed : callsTexts.decision.rejected;
  const reason =
    decision.reason === undefined || decision.reason === "" ? "" : `: ${decision.reason}`;
  if (decision.by === "system") return `${callsTexts.decision.notAllowed}${reason}`;
  return `${verdict} ${deciders[decision.by]}${reason}`;
}

const done: { readonly [outcome in ReviewOutcome["outcome"]]: string } = callsTexts.review;

/** Describes the outcome of a result's review. */
export function reviewText({ outcome, by, reason }: ReviewOutcome): string {
  const who = by === "person" ? ` ${callsTexts.review.byYou}` : "";
  return `${done[outcome]}${who}${reason === undefined ? "" : `: ${reason}`}.`;
}
