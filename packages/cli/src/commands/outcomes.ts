import type { Invocation } from "../arguments/command.ts";
import { answerOpenOutcomes } from "../chat/answer-outcome.ts";
import { answerInTerminal } from "./shared/answer-in-terminal.ts";

/** Asks about all calls with an unknown outcome. */
export function answerOutcomes(invocation: Invocation): Promise<number> {
  return answerInTerminal(invocation, answerOpenOutcomes);
}
