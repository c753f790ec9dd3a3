import type { Grant } from "@capstan/core";

/** A grant of `GET /v1/grants`: a user's permission for calls without a new approval. */
export interface GrantView extends Grant {
  readonly object: "grant";
  /**
   * The conversation in which it was given (of several branches the newest); null if it applies to
   * every session, or was given outside conversations.
   */
  readonly conversation: string | null;
}

/** `DELETE /v1/grants/{id}`. Revoking twice is the same as once. */
export interface GrantDeleted {
  readonly id: string;
  readonly object: "grant.deleted";
  readonly deleted: true;
  /** Whether it had been revoked before; then nothing changed. */
  readonly again: boolean;
  /** The time of the first revocation, in ms since the epoch. */
  readonly revokedAt: number | null;
}
