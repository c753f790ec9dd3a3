import type { RunStatus } from "./run.ts";

/**
 * The groups and tools that a user enabled or disabled in a conversation; the others have their
 * default.
 */
export interface Switches {
  readonly groups: { readonly [group: string]: boolean };
  /** Keyed by `group.Tool`. */
  readonly tools: { readonly [toolId: string]: boolean };
}

/** A pointer to the newest run of a thread of runs. Times are ms since the epoch. */
export interface ConversationView {
  readonly id: string;
  readonly object: "conversation";
  readonly title: string;
  /** OpenAI's field, in seconds since the epoch. */
  readonly created_at: number;
  readonly updated_at: number;
  readonly metadata: { readonly [key: string]: string };
  readonly head: string | null;
  readonly head_status: RunStatus | null;
  readonly switches: Switches;
  readonly state: ConversationState;
}

/**
 * The state of a conversation in the user's list. An archived conversation that gets a new message
 * is open again.
 */
export type ConversationState = "open" | "pinned" | "archived";

/** `GET /v1/conversations/search`: the conversations that have all words of a query. */
export interface ConversationMatches {
  readonly object: "list";
  /** Title matches first, then the conversation with the newest message. */
  readonly data: readonly ConversationMatch[];
  /** False while older conversations are still being indexed: a later search finds more. */
  readonly is_complete: boolean;
}

/** A conversation that a search found. */
export interface ConversationMatch {
  readonly object: "conversation.match";
  readonly conversation: ConversationView;
  /** The newest run with the words; null if the title has them. */
  readonly run: string | null;
  readonly found_in: "title" | "user" | "assistant";
  /** The part of the text around the first match. */
  readonly text: string;
  /** Start and end of each match, in UTF-16 code units of `text`. */
  readonly matches: readonly (readonly [number, number])[];
}

/** `POST /v1/conversations/{id}`: changes the given fields. */
export interface ConversationUpdate {
  readonly title?: string;
  readonly metadata?: { readonly [key: string]: string };
  readonly switches?: Partial<Switches>;
  readonly state?: ConversationState;
}
