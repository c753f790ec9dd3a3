/** The wire protocol of a server. */
export type Wire =
  | "openai-responses"
  | "openai-chat"
  | "openai-compatible"
  | "anthropic"
  | "google";

export type ProviderId = "openai" | "anthropic" | "google" | "custom" | "ollama";

/** A configured provider of models. */
export interface Provider {
  readonly id: ProviderId;
  /** The display name, for example `OpenAI`. */
  readonly title: string;
  readonly wire: Wire;
  /** The base URL of the API, without a slash at the end. */
  readonly url: string;
  readonly key: string | undefined;
  /** The environment variable to change if the key or the URL is wrong. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** An administrator set it on the page, and not in the environment. */
  readonly isStored?: boolean;
  /** The default model; `undefined` for the first model that the server lists. */
  readonly defaultModel: string | undefined;
  /** Why the provider is available, for example `OPENAI_API_KEY is set`. */
  readonly reason: string;
}
