import type { CallView } from "@capstan/contract";
import { approvalsTexts } from "../texts/approvals.ts";

type Found = NonNullable<CallView["found"]>;

/** Describes the user's answer about a call with an unknown outcome. */
export function outcomeText({ answer, note }: Pick<Found, "answer" | "note">): string {
  const { answers, answer: alone, answerWithNote } = approvalsTexts.outcome;
  return note === undefined ? alone(answers[answer]) : answerWithNote(answers[answer], note);
}
