import type { CallRecord } from "../executor/call-record.ts";
import type { SettledToolResult } from "../executor/tool-execute-result.ts";
import type { Message } from "../model/message.ts";
import type { Usage } from "../model/model.ts";
import type { ChainEnding } from "./chain-ending.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { Awaited, ChainResultRecord, ChainStats } from "./chain-result.ts";
import type { ToolCallHistoryEntry, ToolChainResult } from "./tool-chain-result.ts";
import { answerText, turnLog } from "./log/turn-log.ts";
import { turnTokens } from "./turn-tokens.ts";
import { turnMessages } from "./turn-messages.ts";

/** All that a chain knows when it stops. */
export interface ChainFacts {
  readonly ending: ChainEnding;
  readonly contextMessages: readonly Message[];
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
  /** Of the calls that ran in this process. */
  readonly results: ReadonlyMap<string, SettledToolResult>;
  readonly waiting: readonly Awaited[];
  readonly round: number;
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
  readonly record: ChainResultRecord;
  readonly event: ChainEvent;
  readonly result: ToolChainResult;
}

export function chainReport(facts: ChainFacts): ChainReport {
  const { ending, contextMessages, messages, calls, waiting, usage, endTime: at } = facts;
  const { status } = ending;
  const stats = statsOf(facts);
  const log = turnLog(messages, calls);
  const answer = answerText(messages);
  const error = ending.error === undefined ? {} : { error: ending.error };
  const reason = facts.finishReason === undefined ? {} : { finishReason: facts.finishReason };
  const awaited = waiting.length === 0 ? {} : { waiting };
  const toolChain = turnMessages(messages, calls);
  return {
    record: { status, answer, log, usage, stats, ...error, ...reason, ...awaited },
    event:
      status === "requires_action"
        ? { type: "chain.waiting", at, callIds: waiting.map(({ callId }) => callId) }
        : { type: "chain.ended", at, status, usage, stats, ...error },
    result: {
      status,
      answer,
      responseContent: log.flow,
      toolChainContent: log.hint,
      replayContent: log.replay,
      usage,
      messages: {
        context: contextMessages,
        toolChain,
        complete: [...contextMessages, ...toolChain],
      },
      toolCallHistory: calls.map((call) => historyEntry(call, facts)),
      stats,
      ...error,
      waiting,
      state: {
        round: facts.round,
        messages,
        calls,
        usage,
        startTime: facts.startTime,
        elapsed: facts.elapsed,
      },
    },
  };
}

function statsOf({ round, calls, elapsed, startTime, endTime, estimated }: ChainFacts): ChainStats {
  const totals = { totalRounds: round, totalCalls: calls.length, totalTime: elapsed };
  return {
    ...totals,
    startTime,
    endTime,
    ...turnTokens(calls),
    ...(estimated && { tokensEstimated: true }),
  };
}

function historyEntry(
  call: CallRecord,
  { results, usageByRound }: ChainFacts,
): ToolCallHistoryEntry {
  const result = results.get(call.callId);
  // The step that read the results is the next one.
  const llmUsage = usageByRound.get(call.round + 1);
  return {
    callId: call.callId,
    toolName: call.name,
    args: call.args ?? {},
    startTime: call.startedAt ?? call.proposedAt,
    endTime: call.endedAt ?? call.proposedAt,
    roundIndex: call.round,
    ...(result !== undefined && { result }),
    ...(llmUsage !== undefined && { llmUsage }),
    ...(call.status === "result_rejected" && {
      resultRejected: true,
      resultRejectReason: call.result?.rejectReason ?? "",
    }),
  };
}
