import type { CallView } from "@capstan/contract";
import { approvalsTexts } from "../texts/approvals.ts";

type Found = NonNullable<CallView["found"]>;

const words: { readonly [answer in Found["answer"]]: string } = approvalsTexts.outcome.answers;

/** Describes the user's answer about a call with an unknown outcome. */
export function outcomeText({ answer, note }: Pick<Found, "answer" | "note">): string {
  return note === undefined ? `${words[answer]}.` : `${words[answer]} (${note}).`;
}
