import type { RunStatus } from "@capstan/contract";
import type { Journal, StoreWrite } from "./store-writes.ts";
import type { OutcomeOf, Fenced } from "./write-outcomes.ts";
import type { UserChange } from "./user-change.ts";
import type { ErrorData } from "./error-data.ts";

/** The writer's result for one call. */
export type WriteResult =
  | {
      readonly outcomes: readonly AppliedOutcome[];
      /** The changes of users' data. @default none */
      readonly changed?: readonly UserChange[];
    }
  | { readonly error: ErrorData };

/** The writer's outcome of one write. */
export type AppliedOutcome = OutcomeOf<Exclude<StoreWrite, Journal>> | Journaled;

/** The writer's result for a journal; the calling side has the events and numbers them. */
export type Journaled =
  | {
      readonly status: "committed";
      /** The number before the first event's. */
      readonly seqBefore: number;
      /** The tail's row of the first delta; the other deltas follow it. */
      readonly firstTail: number;
      readonly runStatus: RunStatus;
    }
  | Fenced;
