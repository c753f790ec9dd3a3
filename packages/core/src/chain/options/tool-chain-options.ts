import type { CallRecord } from "../../call/record/call-record.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { AssistantMessage, Message } from "../../model/message.ts";
import type { FinishReason, Model, ModelSettings, ToolDefinition } from "../../model/model.ts";
import type { Usage } from "../../model/usage.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import type { RequireApproval } from "../../policy/decide.ts";
import type { ReviewDecision } from "../../policy/review.ts";
import type { Caller } from "../../tool/caller.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { ChainLimits } from "../limits/chain-limits.ts";
import type { ChainError, ChainState } from "../journal/chain-result.ts";
import type { Journal } from "../journal/journal.ts";
import type { ToolChainCallbacks } from "./callbacks.ts";

export interface ToolChainOptions extends ChainLimits {
  readonly executor: ToolExecutor;
  readonly model: Model;
  /** The conversation before this turn. */
  readonly contextMessages: readonly Message[];
  /** What the user or the program has new to say in this turn; where a chain is carried on, it comes after the open calls' results. */
  readonly inputMessages?: readonly Message[];
  /** Asked before every round, so that switches and rules may change between rounds. */
  readonly systemPrompt?: string | (() => string);
  /** Groups that may be used, each a registered one; a function is asked before every round. @default all that are on */
  readonly groups?: readonly string[] | (() => readonly string[]);
  /** Which of these groups' tools are offered. @default all */
  readonly allowTool?: (toolId: string) => boolean;
  /** Tools that the client runs: announced, and waited for. A function is asked before every round. */
  readonly clientTools?: readonly ToolDefinition[] | (() => readonly ToolDefinition[]);
  readonly chatOption?: ModelSettings;
  /** Stops the chain. A signal of `AbortSignal.timeout` ends it with the status `timeout`. */
  readonly signal?: AbortSignal;
  /** The same, as a controller. */
  readonly abortController?: AbortController;
  /** Where what happens is written before anyone is told. @default in memory */
  readonly journal?: Journal;
  /** Names the calls' idempotency keys. @default a new id */
  readonly runId?: string;
  /** For whom and with what the calls are made. @default the executor's own */
  readonly caller?: Partial<Caller>;
  /** False lifts a tool's own wish that a person sees its result first, never a rule. @default true */
  readonly checkToolResults?: boolean;
  readonly requireApproval?: (toolId: string) => RequireApproval | undefined;
  /** Told of every event, after it is written. */
  readonly onEvent?: (event: ChainEvent) => void;
  readonly callbacks?: ToolChainCallbacks;
  /** What the model said already; its calls are the first round. See `executeToolChain`. */
  readonly firstResponse?: FirstResponse;
  /** Carries a stopped chain on. */
  readonly resume?: ChainResume;
}

export interface FirstResponse {
  readonly message: AssistantMessage;
  readonly usage?: Usage;
  readonly finishReason?: FinishReason;
}

export interface ChainResume {
  readonly state: ChainState;
  /** True if another run takes over the calls: they are announced again. @default false */
  readonly adopted?: boolean;
  /** True if the chain was only suspended. A chain that crashed does nothing before its journal has stored that it resumes. @default false */
  readonly waited?: boolean;
  readonly answers?: readonly { readonly callId: string; readonly decision: ApprovalDecision }[];
  /** What people said of results in review. */
  readonly reviews?: readonly { readonly callId: string; readonly decision: ReviewDecision }[];
  readonly outputs?: readonly ClientOutput[];
  /** How open calls ended in another run that carried the same turn on: they are not run again. */
  readonly ended?: readonly CallRecord[];
  /** Calls that still wait are closed as not answered. @default false */
  readonly abandonWaiting?: boolean;
  /** Nothing is carried on: what is open is closed, and the chain ends with this. */
  readonly close?: ChainError;
}

export interface ClientOutput {
  readonly callId: string;
  readonly output: string;
}
