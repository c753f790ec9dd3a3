import type { CallRecord } from "../../call/record/call-record.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { Message } from "../../model/message.ts";
import { type Usage, arePrices, costOf, type TokenPrices } from "../../model/usage.ts";
import type { ChainEnding } from "./chain-ending.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type {
  ReachedLimit,
  Awaited,
  ChainError,
  ChainResultRecord,
  ChainStats,
} from "../journal/chain-result.ts";
import type { ToolChainResult, ToolCallHistoryEntry } from "../options/tool-chain-result.ts";
import { answerText, turnLog, turnReplay, turnMessages } from "../log/turn-log.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";

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
    result: {
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
      get responseContent() {
        return log().flow;
      },
      get toolChainContent() {
        return log().hint;
      },
      get replayContent() {
        return log().replay;
      },
      get messages() {
        return messageLists();
      },
      get toolCallHistory() {
        return history();
      },
    },
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

export type TurnTokens = Pick<
  ChainStats,
  "tokensDefinitions" | "tokensArguments" | "tokensShown" | "tokensWithheld"
>;

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

/** What a program is told of one call of the turn. */
export function historyEntry(
  call: CallRecord,
  results: ReadonlyMap<string, SettledToolResult>,
  usageByRound: ReadonlyMap<number, Usage>,
): ToolCallHistoryEntry {
  const result = results.get(call.callId) ?? resultFromRecord(call);
  // The step that read the results is the next one.
  const llmUsage = usageByRound.get(call.round + 1);
  return {
    callId: call.callId,
    toolName: call.name,
    args: call.args ?? {},
    status: resultStatusOf[call.status],
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

/** A call's result from its row, which keeps what the model read. */
function resultFromRecord({
  callId,
  toolId,
  status: state,
  result: kept,
}: CallRecord): SettledToolResult | undefined {
  const status = resultStatusOf[state];
  if (kept === undefined || status === "pending") return undefined;
  const { finalText, isTruncated, tokens, durationMs } = kept;
  const { cacheVarResult, cacheVarArgs, parts } = kept;
  const common = {
    callId,
    ...(toolId !== undefined && { toolId }),
    finalText,
    isTruncated,
    tokens,
    durationMs,
    ...(cacheVarResult !== undefined && { cacheVarResult }),
    ...(cacheVarArgs !== undefined && { cacheVarArgs }),
    ...(parts !== undefined && { parts }),
  };
  const error = kept.error ?? { code: status, message: finalText };
  switch (status) {
    case "success":
      return { ...common, status, data: finalText };
    case "execution_rejected":
    case "result_rejected":
      return { ...common, status, error, rejectReason: kept.rejectReason ?? "" };
    default:
      return { ...common, status, error };
  }
}

/** Returns a function that does `work` at its first call and returns the same result at each call. */
function lazy<T>(work: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: work() }).value;
}
