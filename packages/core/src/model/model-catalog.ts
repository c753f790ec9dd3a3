import type { Model } from "./model.ts";

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
