/** How a server is spoken to. */
export type Wire =
  | "openai-responses"
  | "openai-chat"
  | "openai-compatible"
  | "anthropic"
  | "google";

export type ProviderId = "openai" | "anthropic" | "google" | "custom" | "ollama";

/** A place that serves models, as the environment configures it. */
export interface Provider {
  readonly id: ProviderId;
  /** What people read: `OpenAI`. */
  readonly title: string;
  readonly wire: Wire;
  /** Where the API begins, without a slash at the end. */
  readonly url: string;
  readonly key: string | undefined;
  /** What a person changes where the key or the address is wrong. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** The model that is used where none is named; undefined: the first that the server lists. */
  readonly defaultModel: string | undefined;
  /** Why it is offered: `OPENAI_API_KEY is set`. */
  readonly reason: string;
}
