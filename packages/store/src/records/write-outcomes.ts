import type { WebhookMessage } from "./webhooks.ts";
import type { CallRecord } from "@capstan/core";
import type { RunStatus } from "@capstan/contract";
import type { ReadyRun } from "./claimed-run.ts";
import type {
  AgentRecord,
  ApprovalRecord,
  ConversationRecord,
  OverrideRecord,
  RunRef,
  RunVersion,
  ThreadObjectRecord,
} from "./records.ts";
import type { ConnectionRecord } from "./connections.ts";
import type { StoreWrite } from "./store-writes.ts";
import type { UploadRecord } from "./files.ts";

/** Impossible in the current state; `reason` is a sentence. */
export interface Refused {
  readonly status: "refused";
  readonly reason: string;
}
/** There is no such row for this owner. */
export interface NotFound {
  readonly status: "not_found";
}
/** Not applied, because another write of the same call was not accepted. */
export interface Skipped {
  readonly status: "skipped";
}
/** Not written, because another process owns the run or the run has ended. */
export interface Fenced {
  readonly status: "fenced";
  readonly reason: string;
}

interface Outcomes {
  /** `parent` is the continued run as of this commit. */
  readonly "create-run":
    | {
        readonly status: "created";
        readonly sessionId: string;
        readonly epoch: number;
        readonly createdAt: number;
        readonly parent?: RunVersion;
      }
    | Refused;
  readonly journal:
    | {
        readonly status: "committed";
        /** The number of the run's last event. */
        readonly lastSeq: number;
        readonly runStatus: RunStatus;
      }
    | Fenced;
  /** `previous` is the status before the claim; the other fields are those of `ClaimedRun`. */
  readonly "claim-run":
    | {
        readonly status: "claimed";
        readonly epoch: number;
        readonly previous: RunStatus;
        readonly lastSeq: number;
        readonly edits: number;
      }
    | Refused
    | NotFound;
  readonly "set-status":
    | { readonly status: "changed"; readonly previous: RunStatus; readonly epoch: number }
    | Fenced
    | Refused
    | NotFound;
  /**
   * The first answer wins. A later answer, or an answer after the deadline, returns the stored
   * decision.
   */
  readonly "answer-approval":
    | {
        readonly status: "answered";
        readonly approval: ApprovalRecord;
        /** The run, if it waited for this answer. */
        readonly ready?: ReadyRun;
      }
    | { readonly status: "already_answered"; readonly approval: ApprovalRecord }
    | Refused
    | NotFound;
  readonly "expire-approvals": {
    readonly status: "expired";
    readonly approvals: readonly ApprovalRecord[];
    /** The runs that are queued now. */
    readonly ready: readonly RunRef[];
  };
  readonly "answer-call":
    | { readonly status: "answered"; readonly call: CallRecord }
    | { readonly status: "already_answered"; readonly call: CallRecord }
    | NotFound;
  /** `taken` are the new outputs; the others were submitted before with the same text. */
  readonly "submit-outputs":
    | {
        readonly status: "submitted";
        readonly taken: readonly string[];
        /** The run, if it no longer waits for outputs. */
        readonly ready?: ReadyRun;
      }
    | (Refused & { readonly callId: string; readonly known: boolean })
    | NotFound;
  readonly "create-grant": { readonly status: "created" } | Refused;
  readonly "revoke-grant":
    | {
        readonly status: "revoked";
        /** Null if it applied in every session or is corrupt. */
        readonly sessionId: string | null;
        readonly revokedAt: number;
        readonly again: boolean;
      }
    | NotFound;
  /** `override` is undefined if the rule was deleted. */
  readonly "change-override":
    | {
        readonly status: "updated";
        readonly id: string;
        readonly override: OverrideRecord | undefined;
      }
    | Refused;
  readonly "reset-override":
    | { readonly status: "updated"; readonly id: string; readonly override: undefined }
    | NotFound;
  /** `refused` if it should be new and exists, or if the user has too many. */
  readonly "save-agent":
    | { readonly status: "updated"; readonly agent: AgentRecord }
    | Refused
    | NotFound;
  readonly "delete-agent": { readonly status: "removed" } | NotFound;
  readonly "share-conversation":
    | { readonly status: "updated"; readonly createdAt: number }
    | NotFound;
  readonly "revoke-share": { readonly status: "removed" } | NotFound;
  /** `refused` if it should be new and exists, or if there are too many. */
  readonly "save-connection":
    | { readonly status: "saved_connection"; readonly connection: ConnectionRecord }
    | Refused
    | NotFound;
  readonly "delete-connection": { readonly status: "removed" } | NotFound;
  /** `stale`: the credential has another revision, or was deleted. */
  readonly "save-credential":
    | { readonly status: "saved_credential"; readonly revision: number }
    | { readonly status: "stale" };
  /** `taken`: another holder has claimed it. */
  readonly "claim-credential":
    | { readonly status: "claimed_credential" | "taken" }
    | { readonly status: "stale" };
  readonly "delete-credential": { readonly status: "removed" } | NotFound;
  /**
   * `not_found`: there is no such conversation, or the object belongs to another user. `refused`: its
   * data has changed.
   */
  readonly "save-thread-object":
    | { readonly status: "saved_object"; readonly object: ThreadObjectRecord }
    | Refused
    | NotFound;
  readonly "delete-thread-object": { readonly status: "removed" } | NotFound;
  /** `missing_file`: the user does not have a file of the new store. */
  readonly "save-vector-store":
    | { readonly status: "saved_store" }
    | { readonly status: "missing_file"; readonly fileId: string }
    | NotFound
    | Refused;
  readonly "delete-vector-store": { readonly status: "removed" } | NotFound;
  /** `missing` is a file that the user does not have. */
  readonly "add-store-files":
    | { readonly status: "added_files" }
    | { readonly status: "missing_file"; readonly fileId: string }
    | NotFound
    | Refused;
  readonly "change-store-file": { readonly status: "changed_file" } | NotFound;
  readonly "remove-store-file": { readonly status: "removed" } | NotFound;
  readonly "cancel-batch": { readonly status: "cancelled_batch" } | NotFound;
  /** `refused`: another node has claimed the file. */
  readonly "claim-index":
    | { readonly status: "claimed_index"; readonly revision: number }
    | Refused
    | NotFound;
  /** `bytes` is the size of the parts. */
  readonly "index-parts": { readonly status: "indexed_parts"; readonly bytes: number } | NotFound;
  readonly "index-file": { readonly status: "indexed" } | NotFound;
  /** `more`: there may be more to delete. */
  readonly "collect-chunks": {
    readonly status: "collected_chunks";
    readonly rows: number;
    readonly more: boolean;
  };
  /** `known`: another request holds the key. */
  readonly "claim-key": { readonly status: "claimed_key" } | { readonly status: "known" };
  readonly "create-completion": { readonly status: "created" } | NotFound;
  readonly "change-completion": { readonly status: "changed_completion" } | NotFound;
  readonly "create-conversation": { readonly status: "created" } | Refused;
  readonly "update-conversation":
    | { readonly status: "updated"; readonly conversation: ConversationRecord }
    | NotFound;
  readonly "index-runs": { readonly status: "indexed" };
  readonly "move-head":
    | { readonly status: "moved" }
    | { readonly status: "conflict"; readonly head: string | null }
    | Refused
    | NotFound;
  readonly "delete-conversation":
    | { readonly status: "deleted"; readonly runIds: readonly string[] }
    | Refused
    | NotFound;
  readonly "delete-run":
    | { readonly status: "deleted"; readonly runIds: readonly string[] }
    | Refused
    | NotFound;
  readonly "forget-lineage":
    | { readonly status: "deleted"; readonly runIds: readonly string[] }
    | Refused
    | NotFound;
  /** `more`: there may be more to delete. */
  readonly "collect-forgotten": {
    readonly status: "collected";
    readonly rows: number;
    readonly bytes: number;
    readonly more: boolean;
  };
  readonly "drop-unreachable": { readonly status: "dropped" } | Refused;
  readonly "save-items": { readonly status: "saved" } | NotFound;
  readonly "edit-variables": { readonly status: "edited" } | NotFound;
  readonly "create-file": { readonly status: "created" } | Refused;
  readonly "delete-file":
    | { readonly status: "deleted"; readonly runIds: readonly string[] }
    | NotFound;
  /** `more`: there may be more to delete. */
  readonly "expire-files": {
    readonly status: "expired_files";
    readonly files: number;
    readonly more: boolean;
  };
  readonly "create-upload": {
    readonly status: "created_upload";
    readonly createdAt: number;
    readonly expiresAt: number;
  };
  readonly "add-upload-part":
    | { readonly status: "added_part"; readonly createdAt: number }
    | Refused
    | NotFound;
  readonly "end-upload":
    | { readonly status: "ended_upload"; readonly upload: UploadRecord }
    | Refused
    | NotFound;
  readonly "claim-webhooks": {
    readonly status: "claimed_webhooks";
    readonly messages: readonly WebhookMessage[];
  };
  readonly "settle-webhook": { readonly status: "settled_webhook" } | NotFound;
  readonly "forget-variables": { readonly status: "forgotten" } | Fenced;
}

/** The outcome of a write. */
export type OutcomeOf<W extends StoreWrite> = W extends StoreWrite
  ? Outcomes[W["type"]] | Skipped
  : never;
/** The outcome of any write. */
export type WriteOutcome = OutcomeOf<StoreWrite>;

/** The outcomes of one call, each with the type of its write. */
export type OutcomesOf<W extends readonly StoreWrite[]> = {
  readonly [K in keyof W]: OutcomeOf<W[K]>;
};

/**
 * Whether an outcome means that its write was applied. A status has the same meaning for every
 * write: if a write of a commit has a status with `false`, the whole commit is rolled back.
 */
const accepted: { readonly [Status in WriteOutcome["status"]]: boolean } = {
  added_files: true,
  added_part: true,
  already_answered: false,
  answered: true,
  cancelled_batch: true,
  changed: true,
  changed_completion: true,
  changed_file: true,
  claimed: true,
  claimed_credential: true,
  claimed_index: true,
  claimed_key: true,
  claimed_webhooks: true,
  collected: true,
  collected_chunks: true,
  committed: true,
  conflict: false,
  created: true,
  created_upload: true,
  deleted: true,
  dropped: true,
  edited: true,
  ended_upload: true,
  expired: true,
  expired_files: true,
  fenced: false,
  forgotten: true,
  indexed: true,
  indexed_parts: true,
  known: false,
  missing_file: false,
  moved: true,
  not_found: false,
  refused: false,
  removed: true,
  revoked: true,
  saved: true,
  saved_connection: true,
  saved_credential: true,
  saved_object: true,
  saved_store: true,
  settled_webhook: true,
  skipped: false,
  stale: false,
  submitted: true,
  taken: false,
  updated: true,
};

/** Returns whether a write was applied. If one write of a call was not, none was. */
export function isAccepted(outcome: { readonly status: WriteOutcome["status"] }): boolean {
  return accepted[outcome.status];
}
