import type { CompletionFinish } from "./project-completion.ts";

/** Token counts of a completion. */
export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly audio_tokens: number };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: number;
    readonly accepted_prediction_tokens: number;
    readonly rejected_prediction_tokens: number;
  };
}

/** A call of one of the client's tools. */
export type CompletionCall =
  | {
      readonly id: string;
      readonly type: "function";
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly id: string;
      readonly type: "custom";
      readonly custom: { readonly name: string; readonly input: string };
    };

/** The answer of the model in a choice. */
export interface CompletionMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly refusal: string | null;
  /** The model's reasoning, if the provider returns it. */
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly CompletionCall[];
  /** The call of a client that uses `functions`. */
  readonly function_call?: { readonly name: string; readonly arguments: string };
}

/** A token of an answer, with the most likely tokens at its position. */
export interface CompletionLogprob {
  readonly token: string;
  readonly logprob: number;
  /** The token in UTF-8. */
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly {
    readonly token: string;
    readonly logprob: number;
    readonly bytes: readonly number[];
  }[];
}

/** The tokens of an answer, if the request asks for them and the provider returns them. */
export interface CompletionLogprobs {
  readonly content: readonly CompletionLogprob[];
  readonly refusal: null;
}

/** A completion of `POST /v1/chat/completions`. Times are in seconds since the epoch. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: CompletionMessage;
    readonly logprobs: CompletionLogprobs | null;
    readonly finish_reason: CompletionFinish | "function_call";
  }[];
  readonly usage: CompletionUsage;
}

/** A chunk of a streamed completion. */
export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    /** The next part of the message. */
    readonly delta: { readonly [member: string]: unknown };
    readonly logprobs: CompletionLogprobs | null;
    readonly finish_reason: CompletionFinish | "function_call" | null;
  }[];
  /** In the last chunk, if the request asks for it. */
  readonly usage?: CompletionUsage | null;
}
