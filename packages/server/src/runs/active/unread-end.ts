import type { ChainError } from "@capstan/core";
import { type ChainResultRecord, noUsage } from "@capstan/core/host";
import type { RunJournalWrite } from "@capstan/store";

/**
 * The end of a run whose rows cannot be read: made of nothing that it did, so that one damaged row
 * does not keep a run, and whoever takes runs up, busy for ever.
 *
 * @param message why it was closed, for people
 */
export function unreadEnd(message: string, at: number): readonly RunJournalWrite[] {
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
