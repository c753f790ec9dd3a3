import type { RunStatus } from "./run.ts";

/** A change of a user's data. It has ids only: read what you need. */
export type UserChangeEvent =
  | {
      readonly type: "conversation.created" | "conversation.changed" | "conversation.deleted";
      readonly conversation: string;
    }
  /**
   * A run was created, has another status, or has ended. The end of a run also closes its approvals
   * that are still pending.
   */
  | {
      readonly type: "run.created" | "run.changed" | "run.ended";
      readonly run: string;
      readonly conversation: string | null;
      readonly status: RunStatus;
    }
  | { readonly type: "run.deleted"; readonly run: string }
  | {
      readonly type: "approval.requested" | "approval.answered";
      readonly approval: string;
      readonly run: string;
      readonly conversation: string | null;
    }
  /** The outcome of a call became unknown, or a user reported it. */
  | {
      readonly type: "outcome.requested" | "outcome.answered";
      readonly call: string;
      readonly run: string;
      readonly conversation: string | null;
    }
  | { readonly type: "file.created" | "file.deleted"; readonly file: string }
  /** Grants or the user's own rules changed. */
  | { readonly type: "permissions.changed" };

/**
 * `GET /v1/events`, as server-sent events: the changes of a user's data. `resync` means that
 * changes may be missing: read everything again.
 */
export type UserEvent = (UserChangeEvent | { readonly type: "resync" }) & {
  /** The position of the event. A new connection continues after it. */
  readonly cursor: string;
};
