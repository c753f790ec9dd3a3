import type { CallRecord, ChainEvent } from "@capstan/core";
import type { RunStatus } from "@capstan/contract";
import type { Journal, StoreWrite } from "../records/store-writes.ts";
import type { EncodedChanges } from "./encode-changes.ts";
import type { EncodedDeltas } from "./encode-deltas.ts";
import type { EncodedEvents } from "./encode-events.ts";

/**
 * A journal on its way to the rows of the database: what is large as the JSON that is stored, and
 * beside it what the writer decides by. Texts and numbers alone, which are cheap to hand to a thread.
 */
export interface EncodedJournal {
  readonly type: "journal";
  readonly runId: string;
  readonly epoch: number;
  /** The run's next one, where it changes. */
  readonly status?: RunStatus;
  /** The journal holds heartbeats alone; later writes do not depend on it. */
  readonly isHeartbeat?: true;
  readonly events: EncodedEvents;
  /** `Message`s as a JSON array; absent where there are none. */
  readonly messages?: string;
  /** `StoredCall`s as a JSON array, without what is in quarantine; absent where there are none. */
  readonly calls?: string;
  readonly changes: readonly EncodedChanges[];
  readonly result?: string;
  /** The long texts of the result, which are read apart from it. */
  readonly replay?: string;
  /** `Grant`s as one JSON text; absent where there are none. */
  readonly grants?: string;
  /** `JournalEffect`s in order as one JSON text; absent where there are none. */
  readonly effects?: string;
}

/** A change that a journal makes outside its own rows. */
export type JournalEffect =
  | { readonly type: "approval"; readonly event: ApprovalEvent }
  | {
      readonly type: "quarantine";
      readonly id: string;
      readonly quarantine: NonNullable<CallRecord["quarantine"]>;
    }
  /** A client or a user may answer the call by its id. */
  | { readonly type: "answerable"; readonly callId: string; readonly by: AnswerableBy }
  /** The call has ended and takes no answer any more. */
  | {
      readonly type: "settled";
      /** A client's own call. */
      readonly client?: string;
      readonly approval?: string;
      readonly review?: string;
    };

/** `client`: the call waits for its client's output. `person`: its outcome is unknown, and a user may set it. */
export type AnswerableBy = "client" | "person";

/** An event that requests or answers an approval or a review. */
export type ApprovalEvent = Extract<
  ChainEvent,
  {
    type: "approval.requested" | "approval.answered" | "review.requested" | "review.answered";
  }
>;

export type EncodedWrite = Exclude<StoreWrite, Journal> | EncodedJournal | EncodedDeltas;

/** Whether it is of a run's journal: where it is lost, what follows it is, too. */
export function isJournaled(write: EncodedWrite): write is EncodedJournal | EncodedDeltas {
  return write.type === "journal" || write.type === "deltas";
}

/** One call of `Store.write`. */
export interface EncodedRequest {
  /** When the call was made, in ms since the epoch. */
  readonly at: number;
  readonly writes: readonly EncodedWrite[];
  /** Why the request cannot be encoded: none of it is written. */
  readonly encodeError?: string;
}
