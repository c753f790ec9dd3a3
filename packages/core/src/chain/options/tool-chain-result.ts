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

/** One call of the turn, for programs. */
export interface ToolCallHistoryEntry {
  readonly callId: string;
  readonly toolName: string;
  /** The arguments that the tool got. If the call never ran, the arguments that the model wrote. */
  readonly args: JsonObject;
  /** The text of the arguments as the model wrote it. */
  readonly argumentsText: string;
  readonly status: ResultStatus;
  /**
   * Absent while the call is open. The result may not be in memory, because another process ran the
   * call or a journal stores it. Then `data` is the text that the model was last shown, and the
   * variable has the full value.
   */
  readonly result?: SettledToolResult;
  readonly startTime: number;
  readonly endTime: number;
  readonly roundIndex: number;
  /** Usage of the model step that read the round's results. */
  readonly llmUsage?: Usage;
  readonly resultRejected?: boolean;
  readonly resultRejectReason?: string;
}

/**
 * The result of a chain. The log's three texts, `messages` and `toolCallHistory` are created when
 * they are first read.
 */
export interface ToolChainResult {
  readonly status: Exclude<ChainStatus, "running">;
  /** All of the assistant's own text. */
  readonly answer: string;
  /** For users: the text with a log block for each call. */
  readonly responseContent: string;
  /** The system hint: each call with the names of its variables. */
  readonly toolChainContent: string;
  /** The developer message that a later request shows the model before `answer`. */
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
  /** The limit that was reached; the model then got no more tools. */
  readonly limit?: ReachedLimit;
  /**
   * Problems that did not stop the chain: for example a callback that threw, or an answer that
   * matched no waiting call.
   */
  readonly problems: readonly ChainError[];
  /** The requests that the chain waits for, with status `requires_action`. */
  readonly waiting: readonly Awaited[];
  /**
   * The state from which the chain resumes: `runToolChain({ …, resume: { state } })`. Plain JSON.
   */
  readonly state: ChainState;
}
