import type { Grant } from "@capstan/core";

/**
 * A grant of `GET /v1/grants`: a user's permission that lets calls run without another approval.
 */
export interface GrantView extends Grant {
  readonly object: "grant";
  /**
   * The conversation in which the user gave it (the newest of several branches); null if it applies
   * to every session, or was given outside conversations.
   */
  readonly conversation: string | null;
}

/** `DELETE /v1/grants/{id}`. Revoking a grant again has no effect. */
export interface GrantDeleted {
  readonly id: string;
  readonly object: "grant.deleted";
  readonly deleted: true;
  /** Whether it was already revoked. */
  readonly again: boolean;
  /** The time of the first revocation, in ms since the epoch. */
  readonly revokedAt: number | null;
}
