import type { Invocation } from "../arguments/command.ts";
import { answerOpenApprovals } from "../chat/answer-open-approvals.ts";
import { answerInTerminal } from "./shared/answer-in-terminal.ts";

/** Asks the user to answer all pending approval requests and reviews. */
export function answerApprovals(invocation: Invocation): Promise<number> {
  return answerInTerminal(invocation, answerOpenApprovals);
}
