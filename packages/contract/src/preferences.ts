import type { Switches } from "./conversation.ts";

/** `GET /v1/preferences`: the user's settings of the page, on all devices. */
export interface PreferencesView {
  readonly object: "preferences";
  /** The groups and tools that are on or off in new chats; the others have their default. */
  readonly switches: Switches;
  /** Ids of models and names of agents. */
  readonly favorite_models: readonly string[];
  /** Instructions for each message on the page; they follow those of an agent. */
  readonly instructions: string;
}

/** `PUT /v1/preferences`: changes the given fields. */
export interface PreferencesUpdate {
  readonly switches?: Switches;
  /** At most 200. */
  readonly favorite_models?: readonly string[];
  /** At most 20,000 characters. */
  readonly instructions?: string;
}
