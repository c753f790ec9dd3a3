import type { CallRecord } from "../../call/record/call-record.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { PreparedArguments } from "../../arguments/prepare-arguments.ts";
import type { AssistantMessage, Message, ToolCallRequest } from "../../model/message.ts";
import type {
  FinishReason,
  Model,
  ModelSettings,
  ToolChoice,
  ToolDefinition,
} from "../../model/model.ts";
import type { Usage } from "../../model/usage.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import type { RequireApproval } from "../../policy/decide.ts";
import type { ReviewDecision } from "../../policy/review.ts";
import type { Caller } from "../../tool/caller.ts";
import type { ToolDeferral } from "../../tool/tool-deferral.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { ChainLimits } from "../limits/chain-limits.ts";
import type { ChainError, ChainState } from "../journal/chain-result.ts";
import type { Journal } from "../journal/journal.ts";
import type { ToolChainCallbacks } from "./callbacks.ts";

/** The settings of a chain's requests to its model. */
export interface ChatOption extends Omit<ModelSettings, "toolChoice"> {
  /**
   * A choice that forces a call applies to the first round. `tool` names a tool by its id,
   * `group.Tool`. With `none`, no call runs, whatever the model writes.
   */
  readonly toolChoice?: ToolChoice | { readonly type: "tool"; readonly toolId: string };
}

/** The options of a chain. `executor`, `model` and `contextMessages` are required. */
export interface ToolChainOptions extends ChainLimits {
  readonly executor: ToolExecutor;
  readonly model: Model;
  /** The conversation before this turn. */
  readonly contextMessages: readonly Message[];
  /** The new messages of this turn. In a resumed chain they follow the open calls' results. */
  readonly inputMessages?: readonly Message[];
  /**
   * True: both lists of messages are used unchanged. Set it if the host checked and neutralised the
   * messages when it stored them. A long conversation is then not checked again in each turn.
   * @default false
   */
  readonly messagesAreChecked?: boolean;
  /**
   * The system prompt. A function is called before every round, because switches and rules may
   * change.
   */
  readonly systemPrompt?: string | (() => string);
  /**
   * The groups that may be used; each must be registered. A function is called before every round.
   * @default all enabled groups
   */
  readonly groups?: readonly string[] | (() => readonly string[]);
  /** Decides which of these groups' tools are offered. @default all */
  readonly allowTool?: (toolId: string) => boolean;
  /**
   * Decides which tools are hidden in this chain, in addition to tools that are hidden themselves.
   * @default none
   */
  readonly hidesTool?: (toolId: string) => boolean;
  /**
   * Selects deferred definitions: the model is shown them only after it found their tools.
   *
   * @default the model is shown all definitions
   */
  readonly deferral?: ToolDeferral;
  /**
   * Tools that the client runs: their calls are announced, and wait for its output. A function is
   * called before every round.
   */
  readonly clientTools?: readonly ToolDefinition[] | (() => readonly ToolDefinition[]);
  /**
   * Checks a call of a client's tool before the client sees it. Returns the checked arguments; an
   * error, which the model reads instead of an output; or `undefined` for an unchecked tool.
   *
   * @default no client's call is checked
   */
  readonly checkClientCall?: (call: ToolCallRequest["function"]) => PreparedArguments | undefined;
  readonly chatOption?: ChatOption;
  /** Stops the chain. A signal of `AbortSignal.timeout` ends it with the status `timeout`. */
  readonly signal?: AbortSignal;
  /** Stops the chain like `signal`. */
  readonly abortController?: AbortController;
  /** Stores the chain's writes before their events are published. @default in memory */
  readonly journal?: Journal;
  /** Prefixes the calls' idempotency keys. @default a new id */
  readonly runId?: string;
  /** The caller of the calls: its user, request context and files. @default the executor's own */
  readonly caller?: Partial<Caller>;
  /**
   * False overrides a tool's own request for a review of its results, never a rule. @default true
   */
  readonly checkToolResults?: boolean;
  /**
   * Whether a tool that only reads runs before the start of its call is stored. After a crash the call
   * may be proposed again, with another answer of the model. @default false
   */
  readonly startsReadsEarly?: boolean;
  readonly requireApproval?: (toolId: string) => RequireApproval | undefined;
  /**
   * Gets the record of each call, sub-calls included, after the call has ended and before its end
   * is stored. For example, a host can then offer other tools in the next round. Must not throw.
   */
  readonly onSettled?: (call: CallRecord) => void;
  /** Gets every event after it is stored. */
  readonly onEvent?: (event: ChainEvent) => void;
  readonly callbacks?: ToolChainCallbacks;
  /**
   * A model answer that the caller already has; its calls are the first round. See
   * `executeToolChain`.
   */
  readonly firstResponse?: FirstResponse;
  /** Resumes a stopped chain. */
  readonly resume?: ChainResume;
}

/** A model answer from which a chain continues. */
export interface FirstResponse {
  readonly message: AssistantMessage;
  readonly usage?: Usage;
  readonly finishReason?: FinishReason;
}

/** The state of a stopped chain, and the answers with which it resumes. */
export interface ChainResume {
  readonly state: ChainState;
  /** True if another run takes over the calls: they are announced again. @default false */
  readonly adopted?: boolean;
  /**
   * True if the chain was suspended, and did not crash. A crashed chain waits until its journal has
   * stored that it resumes. @default false
   */
  readonly waited?: boolean;
  readonly answers?: readonly { readonly callId: string; readonly decision: ApprovalDecision }[];
  /** The users' reviews of results. */
  readonly reviews?: readonly { readonly callId: string; readonly decision: ReviewDecision }[];
  readonly outputs?: readonly ClientOutput[];
  /** Calls that ended in another run of the same turn: they are not run again. */
  readonly ended?: readonly CallRecord[];
  /** Calls that still wait are closed as not answered. @default false */
  readonly abandonWaiting?: boolean;
  /** The chain is not continued: its open calls are closed, and it ends with this error. */
  readonly close?: ChainError;
}

/** The output of a client's call. */
export interface ClientOutput {
  readonly callId: string;
  readonly output: string;
  /** The output's parts, if it has images or files. `output` is then its text. */
  readonly parts?: readonly ContentPart[] | undefined;
}
