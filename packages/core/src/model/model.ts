import type { Usage, TokenPrices } from "./usage.ts";
import type { JsonObject, JsonSchema } from "../base/json.ts";
import type { Message } from "./message.ts";

export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly name: string };

export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly name: string;
      readonly schema: JsonSchema;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** What may be tuned in a request to a model; what a provider does not know it leaves out. */
export interface ModelSettings {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: string;
  readonly responseFormat?: ResponseFormat;
  /** Handed to the provider as it is, by the provider's name. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject };
}

export interface ModelRequest extends ModelSettings {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error" | "other";

export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** Ends the reasoning that was streamed, with what the provider wants to see again. */
  | { readonly type: "reasoning-end"; readonly providerMetadata?: JsonObject }
  | { readonly type: "tool-call-start"; readonly id: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-call-end";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly providerMetadata?: JsonObject;
    }
  /** A failure before the first token is being tried again. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/**
 * A language model. A well-behaved one ends its stream with exactly one `finish`, throws
 * `ModelError` when it cannot go on, and stops soon after `signal` aborts.
 */
export interface Model {
  /** `provider/model`, e.g. `openai/gpt-5.5`. */
  readonly id: string;
  /** Tokens of context, where known. */
  readonly contextWindow?: number;
  /** Where known: what it costs is then counted, and can be limited. */
  readonly prices?: TokenPrices;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A model that can be chosen. */
export interface ModelEntry {
  /** `provider/model`. */
  readonly id: string;
  /** What people read: `GPT-5.5 (OpenAI)`. */
  readonly title: string;
  readonly owner: string;
  /** Why it is offered: `OPENAI_API_KEY is set`. */
  readonly reason: string;
}

/** The models of an installation, as the server is handed them. */
export interface ModelCatalog {
  /** What is used where nobody chose, and why. */
  readonly default: ModelEntry;
  /** Asks the providers what they have, briefly cached; one that does not answer is left out. */
  list(signal?: AbortSignal): Promise<readonly ModelEntry[]>;
  /**
   * `provider/model` of a configured provider, whether listed or not; a bare name goes to the
   * provider that lists it. Undefined where no provider would know it.
   */
  find(id: string): Promise<Model | undefined>;
}

/** What a model is told of a tool: OpenAI's function spec. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of an object; absent means no arguments. */
    readonly parameters?: JsonSchema;
    readonly strict?: boolean;
  };
}
