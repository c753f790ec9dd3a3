import type {
  ApprovalDecision,
  CallRecord,
  ChainEvent,
  Grant,
  JournalWrite,
  JsonObject,
  JsonValue,
  ReviewDecision,
  VariableChange,
} from "@capstan/core";
import type { ClientOutput } from "@capstan/core/host";
import type {
  ConversationUpdate,
  OverrideChange,
  RunNotice,
  RunStatus,
  Switches,
} from "@capstan/contract";
import type { CredentialKey } from "./connections.ts";
import type { RestingStatus } from "./run-status.ts";
import type { NewBlob, StoredList } from "../blobs/split-inputs.ts";
import type { LineageStart, Unreachable } from "./read-results.ts";
import type { RunKind, RunVersion, ThreadObjectKind } from "./records.ts";
import type { SearchChunk } from "./search.ts";
import type { FileQuota, NewFile, NewUpload } from "./files.ts";

/** The maximum number and size of the objects of a thread. */
export interface ThreadLimit {
  readonly objects: number;
  /** The bytes of their data as JSON. */
  readonly bytes: number;
}

/** A run to create. The caller chooses a random id. */
export interface NewRun {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  /** @default "turn" */
  readonly kind?: RunKind;
  /** `in_progress` claims the run immediately, with epoch 1. @default "queued", with epoch 0 */
  readonly status?: RunStatus;
  /** The run to continue: the new run begins with its session and its variables. */
  readonly parentId?: string;
  /**
   * The version in which the caller has read the parent. If the parent has changed since, the run is
   * rejected. @default any version
   */
  readonly parentVersion?: Pick<RunVersion, "epoch" | "edits">;
  /**
   * Whether it takes over the calls for which its parent waits. It is then rejected while another
   * turn that continues the parent is open, because both could run the same call. @default false
   */
  readonly takesOver?: boolean;
  /** @default the parent's session, or the run's own id without a parent */
  readonly sessionId?: string;
  readonly conversationId?: string;
  /** @default true */
  readonly stored?: boolean;
  readonly title?: string;
  readonly request: JsonValue;
  readonly input: readonly JsonValue[];
  /** All of the input, if `input` is a preview of it. The store sets it. */
  readonly fullInput?: StoredList<JsonValue>;
  /** Images and files that the input, the request's `context` or the first messages refer to. */
  readonly blobs?: readonly NewBlob[];
}

/** A choice of a chat completion to store. */
export interface NewCompletion {
  /** The run of the first choice, whose id is that of the completion. @default this run */
  readonly of?: string;
  /** The number of the choice. */
  readonly choice: number;
  /** The model as the completion shows it. */
  readonly model: string;
  readonly metadata: { readonly [key: string]: string };
}

/** A request with an idempotency key, which a client can repeat. */
export interface RequestKey {
  readonly id: string;
  /** The digest of the request's route and body. */
  readonly digest: string;
  /** How long the key is remembered, in ms. */
  readonly ttlMs: number;
  /** The run whose key this request takes over, or `any` to take the key over from any run. */
  readonly replaces?: string;
}

/** A write to a run's journal, by its chain or as a notice of the server. */
export type RunJournalWrite = JournalWrite<ChainEvent | RunNotice>;

/** A change to the store, as data. The store's clock sets its time when `write` is called. */
export type StoreWrite =
  | { readonly type: "create-run"; readonly run: NewRun }
  /**
   * Appends to a run's journal. Events get consecutive numbers. It is fenced if the epoch differs,
   * the run has ended, or the transition is not legal. A `result` sets the run's status to
   * `runStatusOf(result)`, unless `status` is given. When the run ends, its variables become a
   * manifest. Unless it is `completed`, its pending approvals are closed then; a later run can take
   * over the approvals of a completed run.
   */
  | {
      readonly type: "journal";
      readonly runId: string;
      readonly epoch: number;
      readonly writes: readonly RunJournalWrite[];
      readonly status?: RunStatus;
    }
  /**
   * Claims a run that has not ended: `in_progress`, epoch + 1. With `epoch`, claims the run only if
   * it is in that epoch.
   */
  | { readonly type: "claim-run"; readonly runId: string; readonly epoch?: number }
  /**
   * Suspends a run or returns it to the queue. A queued run gets a new epoch, so that its previous
   * owner is fenced. Only a journal ends a run. With `epoch`, this write is fenced like a journal.
   */
  | {
      readonly type: "set-status";
      readonly runId: string;
      readonly status: RestingStatus;
      readonly epoch?: number;
    }
  | {
      readonly type: "answer-approval";
      readonly owner: string;
      readonly id: string;
      /** The run that asks. If it is given, the store need not search for it. */
      readonly runId?: string;
      /** Must fit the approval's kind. */
      readonly answer: ApprovalDecision | ReviewDecision;
      /** Whether to claim the run if it can resume now, instead of queueing it. @default false */
      readonly claims?: boolean;
    }
  /**
   * Expires pending approvals of all owners whose time is up, at most 1,000 per write; with `ids`,
   * these approvals regardless of the time.
   */
  | { readonly type: "expire-approvals"; readonly ids?: readonly string[] }
  /** Stores a user's report on a call whose outcome is unknown. The first report is final. */
  | {
      readonly type: "answer-call";
      readonly owner: string;
      readonly runId: string;
      /** The call's record with the report in `found`. */
      readonly call: CallRecord;
    }
  /** Stores the outputs of a client's tools until their run reads them: all of them, or none. */
  | {
      readonly type: "submit-outputs";
      readonly owner: string;
      readonly runId: string;
      readonly outputs: readonly ClientOutput[];
      /** Whether to claim the run, as for `answer-approval`. @default false */
      readonly claims?: boolean;
    }
  | {
      readonly type: "create-grant";
      readonly owner: string;
      readonly sessionId: string | null;
      readonly grant: Grant;
    }
  | { readonly type: "revoke-grant"; readonly owner: string; readonly id: string }
  /** Changes the given fields; null clears one. A rule without any field is deleted. */
  | ({ readonly type: "change-override"; readonly owner: string } & Pick<
      OverrideChange,
      "tool" | "when"
    > & { readonly change: Omit<OverrideChange, "tool" | "when"> })
  | { readonly type: "reset-override"; readonly owner: string; readonly id: string }
  /** Creates an agent, or replaces one that exists. */
  | {
      readonly type: "save-agent";
      readonly owner: string;
      readonly name: string;
      readonly agent: JsonObject;
      /** Whether it must be new. Otherwise it must exist. */
      readonly isNew: boolean;
    }
  | { readonly type: "delete-agent"; readonly owner: string; readonly name: string }
  /** Shares a conversation by a link, in place of an earlier link to it. */
  | {
      readonly type: "share-conversation";
      readonly owner: string;
      readonly conversationId: string;
      /** The SHA-256 of the link's token, as hex characters. */
      readonly digest: string;
      /** The content that a reader of the link sees, as JSON. */
      readonly content: string;
    }
  | {
      readonly type: "revoke-share";
      readonly owner: string;
      readonly conversationId: string;
    }
  /** Adds a connection, or replaces the settings of one that exists. */
  | {
      readonly type: "save-connection";
      readonly name: string;
      readonly settings: JsonObject;
      /** The principal who adds it. */
      readonly by: string;
      /** Whether it must be new. Otherwise it must exist. */
      readonly isNew: boolean;
    }
  /** Deletes a connection and all credentials for it. */
  | { readonly type: "delete-connection"; readonly name: string }
  /** Stores an encrypted credential. */
  | {
      readonly type: "save-credential";
      readonly key: CredentialKey;
      readonly sealed: string;
      readonly state: "ready" | "needs_sign_in";
      /** In ms since the epoch, or null. */
      readonly expiresAt: number | null;
      /** The revision that it must have. @default any, or none */
      readonly ifRevision?: number | undefined;
    }
  /** Claims the right to refresh a credential for some ms; 0 ends the claim. */
  | {
      readonly type: "claim-credential";
      readonly key: CredentialKey;
      readonly revision: number;
      readonly holder: string;
      readonly ms: number;
    }
  | { readonly type: "delete-credential"; readonly key: CredentialKey }
  /** Creates an object of a thread, or replaces its data. The conversation must exist. */
  | {
      readonly type: "save-thread-object";
      readonly owner: string;
      readonly id: string;
      readonly conversationId: string;
      readonly kind: ThreadObjectKind;
      readonly data: JsonObject;
      /**
       * The data that it replaces, `null` for a new object. If the store has other data by then, the
       * write is refused.
       * @default any data
       */
      readonly replaces?: JsonObject | null;
      /**
       * The limit of all objects of the conversation, including this one. A write that would exceed
       * it is rejected.
       * @default no limit
       */
      readonly limit?: ThreadLimit;
    }
  | { readonly type: "delete-thread-object"; readonly owner: string; readonly id: string }
  /**
   * Claims an idempotency key for the results of the call's other writes. Expired keys are deleted.
   */
  | {
      readonly type: "claim-key";
      readonly owner: string;
      readonly key: RequestKey;
      /** The run or the conversation that the call creates. */
      readonly resourceId?: string;
      /** The response to repeat, as text. */
      readonly response?: string;
      /**
       * Stores the outcomes of the preceding writes as JSON in `response`, with the `resourceId`
       * `storedOutcomes`. A later commit stores the response itself.
       * @default false
       */
      readonly storesOutcomes?: boolean;
    }
  /** Stores a run of the same commit as a choice of a chat completion. */
  | {
      readonly type: "create-completion";
      readonly owner: string;
      readonly runId: string;
      readonly completion: NewCompletion;
    }
  /** Replaces the metadata of a chat completion. */
  | {
      readonly type: "change-completion";
      readonly owner: string;
      readonly id: string;
      readonly metadata: { readonly [key: string]: string };
    }
  | {
      readonly type: "create-conversation";
      readonly id: string;
      readonly owner: string;
      readonly title: string;
      readonly metadata: { readonly [key: string]: string };
      readonly switches: Switches;
    }
  /** Changes the given fields; tool switches are merged one by one. */
  | {
      readonly type: "update-conversation";
      readonly owner: string;
      readonly id: string;
      readonly update: ConversationUpdate;
    }
  /**
   * Stores the words by which a search of conversations finds ended runs. Words that are already
   * stored stay, and runs that have not ended are left out.
   */
  | {
      readonly type: "index-runs";
      readonly owner: string;
      /** The words are in their indexed form, `[a-z0-9]+`. */
      readonly runs: readonly { readonly id: string; readonly words: readonly string[] }[];
    }
  /** Compare and set: `from` is the head that the caller has read. */
  | {
      readonly type: "move-head";
      readonly owner: string;
      readonly id: string;
      readonly from: string | null;
      readonly to: string;
    }
  /**
   * Deletes a conversation with its runs. Runs that other conversations descend from are kept
   * without a conversation.
   */
  | { readonly type: "delete-conversation"; readonly owner: string; readonly id: string }
  /** Deletes a run with all that belongs to it. Runs that continued it now continue its parent. */
  | { readonly type: "delete-run"; readonly owner: string; readonly id: string }
  /**
   * Deletes a whole lineage, unless it has changed since `before` or a hold keeps it.
   */
  | {
      readonly type: "forget-lineage";
      readonly owner: string;
      readonly start: LineageStart;
      /** In ms since the epoch. */
      readonly before: number;
    }
  /** Deletes the rows of forgotten runs, of every owner, up to about this many rows and bytes. */
  | { readonly type: "collect-forgotten"; readonly rows: number; readonly bytes: number }
  /** Deletes rows of a session that `everyUnreachable` found. */
  | { readonly type: "drop-unreachable"; readonly found: Unreachable }
  /** Appends Responses items to a run; `callId` finds the run again. */
  | {
      readonly type: "save-items";
      readonly runId: string;
      readonly direction: "input" | "output";
      readonly items: readonly {
        readonly id: string;
        readonly callId?: string;
        readonly item: JsonValue;
      }[];
    }
  /**
   * Changes variables from outside the loop. An ended run gets a new manifest; runs that began from
   * it keep theirs.
   */
  | {
      readonly type: "edit-variables";
      readonly owner: string;
      readonly runId: string;
      readonly changes: readonly VariableChange[];
    }
  /** Creates a file. Use `Store.createFile`, which also stores its blob. */
  | {
      readonly type: "create-file";
      readonly file: NewFile;
      readonly blob: Pick<NewBlob, "sha256" | "size">;
      /** @default no limit */
      readonly quota?: FileQuota;
    }
  | { readonly type: "delete-file"; readonly owner: string; readonly id: string }
  /**
   * Creates a vector store with files to be indexed, or changes the given members of its data. A
   * file that the user does not have rejects the whole write.
   */
  | {
      readonly type: "save-vector-store";
      readonly owner: string;
      readonly id: string;
      readonly data: JsonObject;
      readonly isNew: boolean;
      /** The files of a new store. @default none */
      readonly files?: readonly { readonly fileId: string; readonly data: JsonObject }[];
      /** The limit of a user's vector stores. @default no limit */
      readonly limit?: number;
    }
  /** Deletes a vector store with its files, batches and index. */
  | { readonly type: "delete-vector-store"; readonly owner: string; readonly id: string }
  /** Adds files to a vector store. Files that it has already are indexed again. */
  | {
      readonly type: "add-store-files";
      readonly owner: string;
      readonly storeId: string;
      readonly files: readonly { readonly fileId: string; readonly data: JsonObject }[];
      readonly batch?: { readonly id: string; readonly data: JsonObject };
      /** The limit of the store's files. @default no limit */
      readonly limit?: number;
    }
  /** Changes the given members of the data of a file of a vector store. */
  | {
      readonly type: "change-store-file";
      readonly owner: string;
      readonly storeId: string;
      readonly fileId: string;
      readonly data: JsonObject;
    }
  | {
      readonly type: "remove-store-file";
      readonly owner: string;
      readonly storeId: string;
      readonly fileId: string;
    }
  /** Cancels the files of a batch that are not indexed yet. */
  | { readonly type: "cancel-batch"; readonly owner: string; readonly id: string }
  /**
   * Claims a file that is not indexed yet for this node. The claim counts up the file's `revision`,
   * so earlier claims can write nothing more. A node that has died loses its claims.
   */
  | {
      readonly type: "claim-index";
      readonly owner: string;
      readonly storeId: string;
      readonly fileId: string;
      readonly revision: number;
    }
  /**
   * Stores parts of a file's index, which searches do not find before `index-file`. Each write
   * delays others, so a long index needs several.
   */
  | ({ readonly type: "index-parts" } & ChunksOfFile)
  /**
   * Stores the last parts of a file's index and makes it visible, or stores why there is none,
   * unless the file was removed, cancelled, claimed or added again in the meantime.
   */
  | ({
      readonly type: "index-file";
      readonly status: "completed" | "failed";
      /** The members of the file's data that change. */
      readonly data: JsonObject;
      /** The bytes of the parts that `index-parts` stored. @default 0 */
      readonly bytes?: number;
    } & ChunksOfFile)
  /** Deletes parts of indexes that no search finds any more, and the files of deleted stores. */
  | { readonly type: "collect-chunks"; readonly rows: number }
  /**
   * Deletes expired files, and the parts of expired uploads, of all owners; with `older`, an
   * owner's files that were created before a time. At most 500 files per write.
   */
  | {
      readonly type: "expire-files";
      readonly older?: { readonly owner: string; readonly before: number };
    }
  | { readonly type: "create-upload"; readonly upload: NewUpload }
  /** Adds a part to an upload. Use `Store.addUploadPart`, which also stores its blob. */
  | {
      readonly type: "add-upload-part";
      readonly owner: string;
      readonly uploadId: string;
      readonly id: string;
      readonly blob: Pick<NewBlob, "sha256" | "size">;
      readonly quota?: FileQuota;
    }
  /** Completes an upload with a file; without one it is cancelled. */
  | {
      readonly type: "end-upload";
      readonly owner: string;
      readonly id: string;
      readonly completed?: {
        readonly file: NewFile;
        readonly blob: Pick<NewBlob, "sha256" | "size">;
        readonly quota?: FileQuota;
      };
    }
  /**
   * Claims messages of an endpoint that are due, so that no other node sends them for `ms`
   * milliseconds. Deletes messages of all endpoints that are older than `maxAgeMs`.
   */
  | {
      readonly type: "claim-webhooks";
      readonly endpoint: string;
      readonly limit: number;
      readonly ms: number;
      readonly maxAgeMs: number;
    }
  /** Deletes a claimed message, or sets the time of its next attempt, in ms since the epoch. */
  | {
      readonly type: "settle-webhook";
      readonly endpoint: string;
      readonly id: string;
      /** The attempts of the claimed message. */
      readonly attempts: number;
      /** `null` if there is no further attempt. */
      readonly retryAt: number | null;
    }
  /** Resets the variables of a run to those that it began with, if they cannot be read. */
  | { readonly type: "forget-variables"; readonly runId: string; readonly epoch: number };

/** Parts of a file of a vector store. */
interface ChunksOfFile {
  readonly owner: string;
  readonly storeId: string;
  readonly fileId: string;
  /** The `revision` of the file when its indexing began, or after its claim. */
  readonly revision: number;
  readonly chunks: readonly SearchChunk[];
  /** The number of parts before these. @default 0 */
  readonly position?: number;
}

/** A write to a run's journal. */
export type Journal = Extract<StoreWrite, { type: "journal" }>;
