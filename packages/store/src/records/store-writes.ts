import type {
  ApprovalDecision,
  CallRecord,
  ChainEvent,
  Grant,
  JournalWrite,
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
import type { RestingStatus } from "./run-status.ts";
import type { NewBlob, StoredList } from "../blobs/split-inputs.ts";
import type { LineageStart, Unreachable } from "./read-results.ts";
import type { RunKind } from "./records.ts";

/** A run to be made. Ids are random, and given by the caller. */
export interface NewRun {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  /** @default "turn" */
  readonly kind?: RunKind;
  /** `in_progress` claims it at once, with epoch 1. @default "queued", with epoch 0 */
  readonly status?: RunStatus;
  /** The run that it continues: its session and its variables are taken from there. */
  readonly parentId?: string;
  /** @default the parent's session, else the run's own id */
  readonly sessionId?: string;
  readonly conversationId?: string;
  /** @default true */
  readonly stored?: boolean;
  readonly title?: string;
  readonly request: JsonValue;
  readonly input: readonly JsonValue[];
  /** All of the input, if `input` is a preview of it. Set by the store. */
  readonly fullInput?: StoredList<JsonValue>;
  /** Images, files and the like to which the input, the request's `context` or the first messages refer. */
  readonly blobs?: readonly NewBlob[];
}

/** A request that may come again. */
export interface RequestKey {
  readonly id: string;
  /** Of the request's route and body. */
  readonly digest: string;
  /** How long it is remembered. */
  readonly ttlMs: number;
  /** The run whose key this request takes over; `any`, if it is a new request in any case. */
  readonly replaces?: string;
}

/** What a run's journal takes: all that a chain writes, and the server's own notices. */
export type RunJournalWrite = JournalWrite<ChainEvent | RunNotice>;

/** A change to the store, as data. Times are stamped by the store's clock as the call is made. */
export type StoreWrite =
  | { readonly type: "create-run"; readonly run: NewRun }
  /**
   * What happened in a run. Events get consecutive numbers. Fenced where the epoch is another, the
   * run has ended, or the transition is not legal. A `result` moves the run to `runStatusOf(result)`
   * unless `status` says otherwise. As a run ends, its variables become a manifest and, unless it
   * is `completed` (a later run may take those up), its pending approvals are settled.
   */
  | {
      readonly type: "journal";
      readonly runId: string;
      readonly epoch: number;
      readonly writes: readonly RunJournalWrite[];
      readonly status?: RunStatus;
    }
  /** Takes a run that has not ended over: `in_progress`, epoch + 1. With `epoch`, only from that one. */
  | { readonly type: "claim-run"; readonly runId: string; readonly epoch?: number }
  /**
   * Parks a run, or hands it back: what is queued has an epoch of its own, so that whoever had it is
   * fenced. Its end is written by a journal alone. With `epoch`, fenced as a journal is.
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
      /** The run that asks, where it is known: it need not be looked for. */
      readonly runId?: string;
      /** Of the approval's own kind. */
      readonly answer: ApprovalDecision | ReviewDecision;
      /** Where its run can go on now, it does so here: it is claimed, and not queued. @default false */
      readonly claims?: boolean;
    }
  /** Every owner's pending approvals whose time is up, at most 1,000 a write; with `ids` these, whatever the time. */
  | { readonly type: "expire-approvals"; readonly ids?: readonly string[] }
  /** A person's word on a call whose outcome is unknown, as its row says it from now on. The first one counts. */
  | {
      readonly type: "answer-call";
      readonly owner: string;
      readonly runId: string;
      /** With `found`. */
      readonly call: CallRecord;
    }
  /** Keeps what a client's tools answered until their run takes it: all of it, or nothing. */
  | {
      readonly type: "submit-outputs";
      readonly owner: string;
      readonly runId: string;
      readonly outputs: readonly ClientOutput[];
      /** As with `answer-approval`. */
      readonly claims?: boolean;
    }
  | {
      readonly type: "create-grant";
      readonly owner: string;
      readonly sessionId: string | null;
      readonly grant: Grant;
    }
  | { readonly type: "revoke-grant"; readonly owner: string; readonly id: string }
  /** What is given is changed or, where it is null, taken back; a rule that says nothing more goes. */
  | ({ readonly type: "change-override"; readonly owner: string } & Pick<
      OverrideChange,
      "tool" | "when"
    > & { readonly change: Omit<OverrideChange, "tool" | "when"> })
  | { readonly type: "reset-override"; readonly owner: string; readonly id: string }
  /** Takes an idempotency key for what the other writes of the call make. Expired keys are deleted. */
  | {
      readonly type: "claim-key";
      readonly owner: string;
      readonly key: RequestKey;
      /** The run or the conversation that the call creates. */
      readonly resourceId?: string;
      /** The answer to give again, as text. */
      readonly response?: string;
      /**
       * Stores the outcomes of the writes before it as JSON in `response`, with the `resourceId`
       * `keptOutcomes`: the answer follows in a commit of its own. @default false
       */
      readonly keepsOutcomes?: boolean;
    }
  | {
      readonly type: "create-conversation";
      readonly id: string;
      readonly owner: string;
      readonly title: string;
      readonly metadata: { readonly [key: string]: string };
      readonly switches: Switches;
    }
  /** What is given is changed; switches are merged one by one. */
  | {
      readonly type: "update-conversation";
      readonly owner: string;
      readonly id: string;
      readonly update: ConversationUpdate;
    }
  /** Compare and set: `from` is the head that the caller saw. */
  | {
      readonly type: "move-head";
      readonly owner: string;
      readonly id: string;
      readonly from: string | null;
      readonly to: string;
    }
  /** With all its runs, except those that runs elsewhere descend from: they stay, outside it. */
  | { readonly type: "delete-conversation"; readonly owner: string; readonly id: string }
  /** With all that belongs to it. Runs that continued it continue its parent from now on. */
  | { readonly type: "delete-run"; readonly owner: string; readonly id: string }
  /** All that hangs together with a conversation or a session, where nothing of it was changed since `before` and nothing holds it. */
  | {
      readonly type: "forget-lineage";
      readonly owner: string;
      readonly start: LineageStart;
      /** In ms since the epoch. */
      readonly before: number;
    }
  /** Deletes what was forgotten, of every owner, up to about so many rows and bytes. */
  | { readonly type: "collect-forgotten"; readonly rows: number; readonly bytes: number }
  /** What `everyUnreachable` found of a session. */
  | { readonly type: "drop-unreachable"; readonly found: Unreachable }
  /** Responses items, in order, after those that the run has; `callId` finds the run again. */
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
  /** Changes from outside the loop. An ended run gets a new manifest; runs that began from it keep theirs. */
  | {
      readonly type: "edit-variables";
      readonly owner: string;
      readonly runId: string;
      readonly changes: readonly VariableChange[];
    }
  /** A run whose variables cannot be read goes back to those that it began with. */
  | { readonly type: "forget-variables"; readonly runId: string; readonly epoch: number };

export type Journal = Extract<StoreWrite, { type: "journal" }>;
