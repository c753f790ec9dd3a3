import type { Grant } from "@capstan/core";

export interface GrantView extends Grant {
  readonly object: "grant";
  /** Where it was given, of branches the newest; null where it holds in every session, or outside of conversations. */
  readonly conversation: string | null;
}

/** `DELETE /v1/grants/{id}`. Revoking twice is the same as once. */
export interface GrantDeleted {
  readonly id: string;
  readonly object: "grant.deleted";
  readonly deleted: true;
  /** It had been revoked already; nothing was changed. */
  readonly again: boolean;
  /** When it was revoked first; milliseconds since the epoch. */
  readonly revokedAt: number | null;
}
