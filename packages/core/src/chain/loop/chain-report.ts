import type { CallRecord } from "../../call/record/call-record.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { Message } from "../../model/message.ts";
import { type Usage, arePrices, costOf, type TokenPrices } from "../../model/usage.ts";
import { historyEntry } from "./call-history.ts";
import type { ChainEnding } from "./chain-ending.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type {
  ReachedLimit,
  Awaited,
  ChainError,
  ChainResultRecord,
  ChainStats,
} from "../journal/chain-result.ts";

import { lazy } from "../../base/lazy.ts";
import { withLazyMembers } from "../options/lazy-result.ts";
import type { ToolChainResult } from "../options/tool-chain-result.ts";
import { answerText, turnLog, turnReplay } from "../log/turn-log.ts";
import { turnTokens } from "../limits/turn-tokens.ts";
import { turnMessages } from "../log/turn-messages.ts";

/** All that a chain knows when it stops. */
export interface ChainFacts {
  readonly ending: ChainEnding;
  readonly contextMessages: readonly Message[];
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
  /** Of the calls that ran in this process. */
  readonly results: ReadonlyMap<string, SettledToolResult>;
  readonly waiting: readonly Awaited[];
  /** Rounds that were begun, and those that were finished. */
  readonly round: number;
  readonly finishedRounds: number;
  /** The last message was cut off. */
  readonly cut: boolean;
  readonly limit: ReachedLimit | undefined;
  readonly prices: TokenPrices | undefined;
  readonly problems: readonly ChainError[];
  readonly usage: Usage;
  readonly usageByRound: ReadonlyMap<number, Usage>;
  readonly finishReason: string | undefined;
  /** Tokens are estimated: no tokenizer was given. */
  readonly estimated: boolean;
  readonly startTime: number;
  readonly endTime: number;
  /** Ms of running time. */
  readonly elapsed: number;
}

/** What is kept of a chain, what is told of its end, and what its caller gets. */
export interface ChainReport {
  /** Made when it is asked for: without a journal nobody keeps it. */
  readonly record: () => ChainResultRecord;
  readonly event: ChainEvent;
  readonly result: ToolChainResult;
}

/** What a program may never look at, as it has its answer, is made when it is first looked at: the log, the messages, the history. */
export function chainReport(facts: ChainFacts): ChainReport {
  const { ending, contextMessages, messages, calls, waiting, usage, endTime: at } = facts;
  const { status } = ending;
  const stats = statsOf(facts);
  const log = lazy(() => turnLog(messages, calls));
  const answer = answerText(messages);
  const error = ending.error === undefined ? {} : { error: ending.error };
  const reason = facts.finishReason === undefined ? {} : { finishReason: facts.finishReason };
  const awaited = waiting.length === 0 ? {} : { waiting };
  const limit = facts.limit === undefined ? {} : { limit: facts.limit };
  const before = [...contextMessages];
  const messageLists = lazy(() => {
    const toolChain = turnMessages(messages, calls);
    return { context: contextMessages, toolChain, complete: [...before, ...toolChain] };
  });
  const history = lazy(() =>
    calls.map((call) => historyEntry(call, facts.results, facts.usageByRound)),
  );
  return {
    record: () => ({
      status,
      answer,
      ...(status !== "requires_action" && { log: { replay: turnReplay(calls) } }),
      usage,
      stats,
      ...error,
      ...reason,
      ...awaited,
      ...limit,
    }),
    event:
      status === "requires_action"
        ? { type: "chain.waiting", at, callIds: waiting.map(({ callId }) => callId) }
        : { type: "chain.ended", at, status, usage, stats, ...error },
    result: withLazyMembers(
      {
        status,
        answer,
        usage,
        stats,
        ...error,
        ...limit,
        problems: facts.problems,
        waiting,
        state: {
          round: facts.finishedRounds,
          messages,
          calls,
          usage,
          startTime: facts.startTime,
          elapsed: facts.elapsed,
          usageByRound: [...facts.usageByRound].map(([round, used]) => ({ round, usage: used })),
          ...(facts.cut && { cut: true }),
        },
      },
      { log, messages: messageLists, history },
    ),
  };
}

function statsOf({ usage, prices, ...facts }: ChainFacts): ChainStats {
  const { round, calls, elapsed, startTime, endTime, estimated } = facts;
  const totals = { totalRounds: round, totalCalls: calls.length, totalTime: elapsed };
  return {
    ...totals,
    startTime,
    endTime,
    ...turnTokens(calls),
    ...(estimated && { tokensEstimated: true }),
    ...(prices !== undefined && arePrices(prices) && { cost: costOf(usage, prices) }),
  };
}
