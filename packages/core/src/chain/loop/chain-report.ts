import { writtenArguments } from "../../arguments/written-arguments.ts";
import { estimateTokens } from "../../text/truncate.ts";
import type { Chain } from "./chain.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import { type Usage, addUsage, arePrices, costOf, noUsage } from "../../model/usage.ts";
import type { ChainEnding } from "./chain-ending.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type {
  Awaited,
  AwaitedRecord,
  ChainResultRecord,
  ChainStats,
} from "../journal/chain-result.ts";
import type { ToolChainResult, ToolCallHistoryEntry } from "../options/tool-chain-result.ts";
import { answerText, turnLog, turnReplay, turnMessages } from "../log/turn-log.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";

/** The report of a chain: its stored record, its end events, and its caller's result. */
interface ChainReport {
  /** A getter, because only a journal needs it. */
  readonly record: () => ChainResultRecord;
  readonly event: ChainEvent;
  readonly result: ToolChainResult;
}

/**
 * Returns the report of a chain. The log, the messages and the history are created at their first
 * use, because a program that only needs the answer never reads them.
 */
export function chainReport(chain: Chain, ending: ChainEnding): ChainReport {
  const { status } = ending;
  const { executor, contextMessages, model } = chain.options;
  const { clock, countTokens } = executor.gate;
  const turn = chain.turn.facts();
  const { messages, usage, usageByRound } = turn;
  const calls = [...chain.calls.records.values()];
  const { results } = chain.calls;
  const waiting = status === "requires_action" ? chain.calls.waiting() : [];
  const { startTime } = chain;
  const { elapsed } = chain.budget;
  const at = Math.max(clock.now(), startTime);
  const { prices } = model;
  const stats: ChainStats = {
    totalRounds: turn.round,
    totalCalls: calls.length,
    totalTime: elapsed,
    startTime,
    endTime: at,
    ...turnTokens(calls),
    ...(countTokens === estimateTokens && { tokensEstimated: true }),
    ...(prices !== undefined && arePrices(prices) && { cost: costOf(usage, prices) }),
  };
  const inherited = [...usageByRound]
    .filter(([round]) => round <= chain.roundsBefore)
    .reduce((sum, [, used]) => addUsage(sum, used), noUsage);
  const log = lazy(() => turnLog(messages, calls));
  const answer = answerText(messages);
  const error = ending.error === undefined ? {} : { error: ending.error };
  const reason = turn.finishReason === undefined ? {} : { finishReason: turn.finishReason };
  const awaited = waiting.length === 0 ? {} : { waiting: waiting.map(awaitedRecord) };
  const limit = chain.limit === undefined ? {} : { limit: chain.limit };
  const before = [...contextMessages];
  const messageLists = lazy(() => {
    const toolChain = turnMessages(messages, calls);
    return { context: contextMessages, toolChain, complete: [...before, ...toolChain] };
  });
  const history = lazy(() => calls.map((call) => historyEntry(call, results, usageByRound)));
  return {
    record: () => ({
      status,
      answer,
      ...(status !== "requires_action" && { log: { replay: turnReplay(calls) } }),
      usage,
      ...(inherited.inputTokens + inherited.outputTokens > 0 && { inheritedUsage: inherited }),
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
    result: new LazyResult(
      {
        status,
        answer,
        usage,
        stats,
        ...error,
        ...limit,
        problems: chain.listeners.problems,
        waiting,
        state: {
          round: turn.finishedRounds,
          messages,
          calls,
          usage,
          startTime,
          elapsed,
          usageByRound: [...usageByRound].map(([round, used]) => ({ round, usage: used })),
          ...(turn.cut && { cut: true }),
        },
      },
      { log, messages: messageLists, history },
    ) as unknown as ToolChainResult,
  };
}

/** Returns the stored form of a request: without the arguments that its approval has. */
function awaitedRecord(request: Awaited): AwaitedRecord {
  const { type, callId } = request;
  switch (type) {
    case "approval": {
      const { id, toolId } = request.approval;
      return { type, callId, approval: { id, toolId } };
    }
    case "review":
      return { type, callId, review: { id: request.review.id } };
    case "client_call":
      return request;
  }
}

type LazyName =
  | "responseContent"
  | "toolChainContent"
  | "replayContent"
  | "messages"
  | "toolCallHistory";

interface LazyParts {
  readonly log: () => ReturnType<typeof turnLog>;
  readonly messages: () => ToolChainResult["messages"];
  readonly history: () => ToolChainResult["toolCallHistory"];
}

/**
 * A `ToolChainResult` whose log, messages and history are created when they are first read. They
 * are its own properties, so that a copy has them too.
 */
class LazyResult {
  readonly #parts: LazyParts;

  constructor(given: Omit<ToolChainResult, LazyName>, parts: LazyParts) {
    Object.assign(this, given);
    this.#parts = parts;
    Object.defineProperties(this, LazyResult.#getters);
  }

  /**
   * All results share these functions. With getters in an object literal, V8 would give each result
   * its own hidden class. That class keeps the whole chain in memory until the next full
   * collection.
   */
  static readonly #getters: { readonly [name in LazyName]: PropertyDescriptor } = {
    responseContent: lazyGetter((result) => result.#parts.log().flow),
    toolChainContent: lazyGetter((result) => result.#parts.log().hint),
    replayContent: lazyGetter((result) => result.#parts.log().replay),
    messages: lazyGetter((result) => result.#parts.messages()),
    toolCallHistory: lazyGetter((result) => result.#parts.history()),
  };
}

function lazyGetter(read: (result: LazyResult) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: LazyResult) {
      return read(this);
    },
  };
}

type TurnTokens = Pick<
  ChainStats,
  "tokensDefinitions" | "tokensArguments" | "tokensShown" | "tokensWithheld"
>;

function turnTokens(calls: readonly CallRecord[]): TurnTokens {
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

/** Returns the history entry of one call of the turn. */
function historyEntry(
  call: CallRecord,
  results: ReadonlyMap<string, SettledToolResult>,
  usageByRound: ReadonlyMap<number, Usage>,
): ToolCallHistoryEntry {
  const result = results.get(call.callId) ?? resultFromRecord(call);
  // The usage of the step that read the results.
  const llmUsage = usageByRound.get(call.round + 1);
  return {
    callId: call.callId,
    toolName: call.name,
    args: call.args ?? writtenArguments(call.argumentsText),
    argumentsText: call.argumentsText,
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

/** Returns a call's result from its row, which has the text that the model read. */
function resultFromRecord({
  callId,
  toolId,
  status: state,
  result: kept,
}: CallRecord): SettledToolResult | undefined {
  const status = resultStatusOf[state];
  if (kept === undefined || status === "pending") return undefined;
  const { finalText, isTruncated, tokens, durationMs } = kept;
  const { cacheVarResult, cacheVarArgs, parts, annotations } = kept;
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
    ...(annotations !== undefined && { annotations }),
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

/**
 * Returns a function that calls `work` at its first call and returns the same result at each call.
 */
function lazy<T>(work: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: work() }).value;
}
