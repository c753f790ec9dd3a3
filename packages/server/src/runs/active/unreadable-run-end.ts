import type { ChainError } from "@capstan/core";
import { type ChainResultRecord, noUsage } from "@capstan/core/host";
import type { RunJournalWrite } from "@capstan/store";

/**
 * Returns the last writes of a run whose rows cannot be read. They use none of its rows, so that one
 * corrupt row does not make servers claim the run forever.
 *
 * @param message why it was closed, for people
 */
export function unreadableRunEnd(message: string, at: number): readonly RunJournalWrite[] {
  const error: ChainError = { code: "interrupted", message, phase: "chain" };
  const stats = {
    totalRounds: 0,
    totalCalls: 0,
    totalTime: 0,
    startTime: at,
    endTime: at,
    tokensDefinitions: 0,
    tokensArguments: 0,
    tokensShown: 0,
    tokensWithheld: 0,
  };
  const result: ChainResultRecord = {
    status: "error",
    answer: "",
    usage: noUsage,
    stats,
    error,
  };
  return [
    { type: "event", event: { type: "run.interrupted", at, message } },
    {
      type: "event",
      event: { type: "chain.ended", at, status: "error", error, usage: noUsage, stats },
    },
    { type: "result", result },
  ];
}
