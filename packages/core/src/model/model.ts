import type { TokenLogprob } from "./logprobs.ts";
import type { Usage, TokenPrices } from "./usage.ts";
import type { JsonObject, JsonSchema } from "../base/json.ts";
import type { Message } from "./message.ts";

/** Whether the model may or must call a tool, or which tool it must call. */
export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly name: string };

/** The format of the model's answer. */
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

/** The settings of a request to a model. A provider omits settings that it does not support. */
export interface ModelSettings {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly maxOutputTokens?: number;
  /** Texts at which the answer ends; they are not part of it. */
  readonly stop?: readonly string[];
  /** With the same number, a provider repeats its answer as well as it can. */
  readonly seed?: number;
  readonly reasoningEffort?: string;
  /** The length of the answer's text. Only OpenAI and compatible servers support it. */
  readonly verbosity?: "low" | "medium" | "high";
  readonly responseFormat?: ResponseFormat;
  /**
   * Whether the answer's tokens have log probabilities, with this many alternatives for each. See
   * `Model.givesLogprobs`.
   */
  readonly logprobs?: { readonly top: number };
  /** Passed to the provider unchanged, by the provider's name. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject };
}

/** A request to a model. */
export interface ModelRequest extends ModelSettings {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

/** The reason why a model's answer ended. `length`: it was cut off. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error" | "other";

/** An event of a model's stream. */
export type ModelEvent =
  | {
      readonly type: "text-delta";
      readonly text: string;
      /** The tokens of the text, if the request asks for them. */
      readonly logprobs?: readonly TokenLogprob[];
    }
  /** The text of a refusal to answer, instead of an answer. */
  | { readonly type: "refusal-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** Ends the streamed reasoning, with the data to send back to the provider. */
  | { readonly type: "reasoning-end"; readonly providerMetadata?: JsonObject }
  | { readonly type: "tool-call-start"; readonly id: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-call-end";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly providerMetadata?: JsonObject;
      /** A limit or a filter ended the answer in the middle of the arguments. */
      readonly incomplete?: boolean;
    }
  /** A failure before the first token is being retried. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/**
 * A language model. A correct one ends its stream with exactly one `finish`, throws `ModelError` if
 * it cannot continue, and stops soon after `signal` aborts.
 */
export interface Model {
  /** `provider/model`, for example `openai/gpt-5.5`. */
  readonly id: string;
  /** The model's context in tokens, if known. */
  readonly contextWindow?: number;
  /** The prices, if known. They are required to compute and limit the cost. */
  readonly prices?: TokenPrices;
  /**
   * Whether the model takes files of a type as they are. A host can convert documents of other
   * types to Markdown. @default it takes all files
   */
  readonly readsFile?: (mimeType: string) => boolean;
  /** Whether it can return the log probabilities of tokens. @default false */
  readonly givesLogprobs?: boolean;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A model that users can choose. */
export interface ModelEntry {
  /** `provider/model`. */
  readonly id: string;
  /** The name for users: `GPT-5.5 (OpenAI)`. */
  readonly title: string;
  readonly owner: string;
  /** The reason why the model is offered: `OPENAI_API_KEY is set`. */
  readonly reason: string;
}

/** A request for embeddings, for the provider of its model. */
export interface EmbeddingRequest {
  /**
   * `provider/model`. A name without a configured provider belongs to the first provider that
   * offers embeddings.
   */
  readonly model: string;
  /** The other fields of the request, which the provider receives: `{ input: "…" }`. */
  readonly fields: JsonObject;
}

/** The result of a request for embeddings. */
export type EmbeddingOutcome =
  /** `body` is the provider's JSON. */
  | { readonly status: "completed"; readonly body: AsyncIterable<Uint8Array> }
  /** `reason` names the provider, and a model to use instead. */
  | { readonly status: "unsupported"; readonly reason: string };

/** The models of an installation, which the server receives. */
export interface ModelCatalog {
  /** The model that is used if the user chose none, with the reason. */
  readonly default: ModelEntry;
  /**
   * Requests the models from the providers, and caches them briefly. Omits providers that do not
   * answer.
   */
  list(signal?: AbortSignal): Promise<readonly ModelEntry[]>;
  /**
   * Returns the model with the id `provider/model` of a configured provider, whether listed or not.
   * A name without a provider belongs to the provider that lists it. Returns undefined if no
   * provider knows it.
   */
  find(id: string): Promise<Model | undefined>;
  /**
   * Requests embeddings from a provider. Throws a `ModelError` if the provider fails. @default no
   * provider offers embeddings
   */
  readonly embed?: (request: EmbeddingRequest, signal: AbortSignal) => Promise<EmbeddingOutcome>;
}

/** A tool's definition for the model: OpenAI's function spec. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of an object; absent means no arguments. */
    readonly parameters?: JsonSchema;
    readonly strict?: boolean;
  };
  /**
   * The tool's input is plain text. A model that knows such tools writes the text itself; others
   * call the function, whose only argument `input` is the text.
   */
  readonly custom?: CustomInput;
}

/** The form of a custom tool's input. */
export interface CustomInput {
  /** The description without the grammar, for models that get the grammar separately. */
  readonly description?: string;
  /** @default any text */
  readonly grammar?: TextGrammar;
}

/** A grammar that a text must match as a whole. */
export interface TextGrammar {
  readonly syntax: "regex" | "lark";
  readonly definition: string;
}
