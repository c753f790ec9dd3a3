import type { AnsweredProposal } from "../../call/gate/proposal.ts";
import type { Grant } from "../../policy/grant.ts";
import type { JournalWrite } from "../journal/journal.ts";

/** What a person's answer leaves in the journal: that it was given, and what it allows from now on. */
export function answerWrites(
  { proposal, grant }: AnsweredProposal,
  approvalId: string,
  at: number,
): readonly JournalWrite[] {
  const { callId, decision, edited, args } = proposal.record;
  const event = {
    type: "approval.answered",
    callId,
    approvalId,
    at,
    decision: decision ?? { verdict: "allowed", by: "person" },
    ...(edited === true && args !== undefined && { args }),
  } as const;
  return [{ type: "event", event }, ...grantWrites(grant)];
}

function grantWrites(grant: Grant | undefined): readonly JournalWrite[] {
  return grant === undefined ? [] : [{ type: "grant", grant }];
}
