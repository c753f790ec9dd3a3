import type { RunStatus } from "@capstan/contract";
import type { Journal, StoreWrite } from "./store-writes.ts";
import type { OutcomeOf, Fenced } from "./write-outcomes.ts";
import type { ErrorData } from "./error-data.ts";

export type WriteResult =
  | { readonly outcomes: readonly AppliedOutcome[] }
  | { readonly error: ErrorData };

export type AppliedOutcome = OutcomeOf<Exclude<StoreWrite, Journal>> | Journaled;

/** What the writer says of a journal; the caller's side has the events and numbers them. */
export type Journaled =
  | {
      readonly status: "committed";
      /** The number before that of the first event. */
      readonly seqBefore: number;
      /** The tail's row of the first delta; the others follow it. */
      readonly firstTail: number;
      readonly runStatus: RunStatus;
    }
  | Fenced;
