import type { SettledToolResult } from "../executor/tool-execute-result.ts";
import type { JsonObject } from "../model/json.ts";
import type { Message } from "../model/message.ts";
import type { Usage } from "../model/model.ts";
import type { Awaited, ChainError, ChainState, ChainStats, ChainStatus } from "./chain-result.ts";

export interface ToolCallHistoryEntry {
  readonly callId: string;
  readonly toolName: string;
  readonly args: JsonObject;
  /** Absent for a call that another process ran; its record is in `state.calls`. */
  readonly result?: SettledToolResult;
  readonly startTime: number;
  readonly endTime: number;
  readonly roundIndex: number;
  readonly llmUsage?: Usage;
  readonly resultRejected?: boolean;
  readonly resultRejectReason?: string;
}

/** What became of a chain. */
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
  /** What is awaited, with status `requires_action`. */
  readonly waiting: readonly Awaited[];
  /** Carries the chain on: `runToolChain({ …, resume: { state } })`. Plain JSON. */
  readonly state: ChainState;
}
