import type { CallRecord } from "../../call/record/call-record.ts";
import type { ChainStats } from "../journal/chain-result.ts";

export type TurnTokens = Pick<
  ChainStats,
  "tokensDefinitions" | "tokensArguments" | "tokensShown" | "tokensWithheld"
>;

/** What a turn's calls cost in tokens, all together. */
export function turnTokens(calls: readonly CallRecord[]): TurnTokens {
  const definitions = new Map<string, number>();
  let [tokensArguments, tokensShown, tokensWithheld] = [0, 0, 0];
  for (const { name, result } of calls) {
    if (result === undefined) continue;
    const { tokens } = result;
    definitions.set(name, tokens.definition);
    tokensArguments += tokens.arguments;
    tokensShown += tokens.shown;
    tokensWithheld += tokens.withheld;
  }
  const tokensDefinitions = definitions.values().reduce((sum, tokens) => sum + tokens, 0);
  return { tokensDefinitions, tokensArguments, tokensShown, tokensWithheld };
}
