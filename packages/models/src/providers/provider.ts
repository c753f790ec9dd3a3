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

/** What a conversation may contain on a wire. */
export interface Dialect {
  /** The name under which the provider's metadata is kept and handed back. */
  readonly metadataKey: string;
  /** System and developer messages may stand between others. */
  readonly systemAnywhere: boolean;
  /** A tool's result may hold pictures and files. */
  readonly filesInResults: boolean;
  /** Reasoning is carried back as its text; elsewhere only with the metadata that signs it. */
  readonly unsignedReasoning: boolean;
}

export function dialectOf({ wire, id }: Pick<Provider, "wire" | "id">): Dialect {
  switch (wire) {
    case "openai-responses":
      return {
        metadataKey: "openai",
        systemAnywhere: true,
        filesInResults: true,
        unsignedReasoning: false,
      };
    case "openai-chat":
      return {
        metadataKey: "openai",
        systemAnywhere: true,
        filesInResults: false,
        unsignedReasoning: false,
      };
    case "openai-compatible":
      // Many chat templates refuse a system message after the first one.
      return {
        metadataKey: id,
        systemAnywhere: false,
        filesInResults: false,
        unsignedReasoning: true,
      };
    case "anthropic":
      return {
        metadataKey: "anthropic",
        systemAnywhere: false,
        filesInResults: true,
        unsignedReasoning: false,
      };
    case "google":
      return {
        metadataKey: "google",
        systemAnywhere: false,
        filesInResults: true,
        unsignedReasoning: false,
      };
  }
}
