import type { ResultStatus } from "../../call/record/call-status.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Message } from "../../model/message.ts";
import type { Usage } from "../../model/usage.ts";
import type {
  ReachedLimit,
  Awaited,
  ChainError,
  ChainState,
  ChainStats,
  ChainStatus,
} from "../journal/chain-result.ts";

export interface ToolCallHistoryEntry {
  readonly callId: string;
  readonly toolName: string;
  readonly args: JsonObject;
  readonly status: ResultStatus;
  /**
   * Absent while it is open. Of a call whose result is not in memory (another process ran it, or
   * a journal keeps it), `data` is what the model was last shown; the whole is in the variable.
   */
  readonly result?: SettledToolResult;
  readonly startTime: number;
  readonly endTime: number;
  readonly roundIndex: number;
  /** Of the model step that read the round's results. */
  readonly llmUsage?: Usage;
  readonly resultRejected?: boolean;
  readonly resultRejectReason?: string;
}

/** What became of a chain. The log's three texts, `messages` and `toolCallHistory` are made when they are first read. */
export interface ToolChainResult {
  readonly status: Exclude<ChainStatus, "running">;
  /** The assistant's own words, all of them. */
  readonly answer: string;
  /** For people: the words with a log block for each call. */
  readonly responseContent: string;
  /** The System Hint: each call and the handles of its values. */
  readonly toolChainContent: string;
  /** What a later request shows the model before `answer`, as a developer message. */
  readonly replayContent: string;
  readonly usage: Usage;
  readonly messages: {
    readonly context: readonly Message[];
    readonly toolChain: readonly Message[];
    readonly complete: readonly Message[];
  };
  readonly toolCallHistory: readonly ToolCallHistoryEntry[];
  readonly stats: ChainStats;
  readonly error?: ChainError;
  /** The limit at which the model was given no more tools. */
  readonly limit?: ReachedLimit;
  /** What went wrong beside the turn and stopped nothing: a callback that threw, an answer that nothing waited for. */
  readonly problems: readonly ChainError[];
  /** What is awaited, with status `requires_action`. */
  readonly waiting: readonly Awaited[];
  /** Carries the chain on: `runToolChain({ …, resume: { state } })`. Plain JSON. */
  readonly state: ChainState;
}
