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
}

/** `POST /v1/conversations/{id}`: changes the given fields. */
export interface ConversationUpdate {
  readonly title?: string;
  readonly metadata?: { readonly [key: string]: string };
  readonly switches?: Partial<Switches>;
}
