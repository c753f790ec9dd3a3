import type { CallDecision, ReviewOutcome } from "../run/run-event.ts";
import { callsTexts } from "../texts/calls.ts";

/** Describes who decided on a call, and why. */
export function decisionText({ verdict, by, reason = "" }: CallDecision): string {
  const { allowed, rejected } = callsTexts.decision;
  return withReason((verdict === "allowed" ? allowed : rejected)[by], reason);
}

/** Describes the outcome of a result's review. */
export function reviewText({ outcome, by, reason = "" }: ReviewOutcome): string {
  const { review, reviewByYou, sentence } = callsTexts;
  return sentence(withReason((by === "person" ? reviewByYou : review)[outcome], reason));
}

function withReason(text: string, reason: string): string {
  return reason === "" ? text : callsTexts.decision.because(text, reason);
}
