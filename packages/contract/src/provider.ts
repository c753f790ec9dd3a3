/** A provider of models in `GET /v1/providers`. Its key cannot be read. */
export interface ProviderView {
  /** `custom` is any server with an API that is compatible with OpenAI's. */
  readonly id: "openai" | "anthropic" | "google" | "custom";
  readonly object: "provider";
  readonly title: string;
  /**
   * `stored`: an administrator set it here. `environment`: the variable of the server's environment
   * applies. `unreadable`: it was stored with another secret key and must be set again.
   */
  readonly source: "stored" | "environment" | "none" | "unreadable";
  /** The environment variable that also configures it. */
  readonly variable: string;
  /** The address of the custom server, without its query; null for the others. */
  readonly url: string | null;
  /** The default model of the custom server, if one is set. */
  readonly model: string | null;
  /** Whether it has a key. */
  readonly has_key: boolean;
  /** When it was stored, in seconds since the epoch. */
  readonly set_at: number | null;
}

/** `PUT /v1/providers/{id}`: replaces the whole stored provider. */
export interface ProviderBody {
  /** The API key. Optional for the custom server. */
  readonly key?: string;
  /** The base URL of the custom server, such as `http://127.0.0.1:1234/v1`. */
  readonly url?: string;
  /** The default model of the custom server. @default the first one that it lists */
  readonly model?: string;
}

/** The outcome of a change of a provider. */
export type ProviderOutcome =
  | { readonly status: "saved"; readonly provider: ProviderView }
  | { readonly status: "not_found" }
  /** Nothing was stored. */
  | { readonly status: "invalid"; readonly field: string; readonly message: string };

/** Stores providers of models. The server's routes use it. */
export interface ProviderSettings {
  list(): readonly ProviderView[];
  /** Tries a provider and stores it if it accepts the key. New requests use it at once. */
  save(id: string, body: ProviderBody, signal: AbortSignal): Promise<ProviderOutcome>;
  /** Removes the stored provider, so that the environment applies again. */
  remove(id: string): ProviderOutcome;
}
