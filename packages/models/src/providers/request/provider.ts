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
  /** The display name: `OpenAI`. */
  readonly title: string;
  readonly wire: Wire;
  /** The base URL of the API, without a slash at the end. */
  readonly url: string;
  readonly key: string | undefined;
  /** The variable to change if the key or the URL is wrong. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** The model for requests that name none; undefined: the first that the server lists. */
  readonly defaultModel: string | undefined;
  /** Why it is offered: `OPENAI_API_KEY is set`. */
  readonly reason: string;
}
