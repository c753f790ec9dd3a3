import type { Dialect } from "../../sql/dialect.ts";
import type { Changes } from "../../sql/changes.ts";
import type { UserChange } from "../../records/user-change.ts";
import type { WebhookSubscription } from "../../records/webhooks.ts";
import type { FailedWrites } from "./failed-writes.ts";
import type { RunStates } from "./run-states.ts";

/** Rows of the tail whose item has ended. */
export interface EndedItemRows {
  /** Adds the rows of one item, which ends in the current transaction. */
  add(rows: number): void;
  /** Whether the tail has no rows of ended items. */
  readonly isEmpty: boolean;
}

/** State and output that the functions in `decide/` share while they apply a batch. */
export interface WriteContext {
  readonly database: Dialect["name"];
  readonly changes: Changes;
  readonly runs: Pick<RunStates, "get" | "set" | "drop">;
  readonly failedWrites: FailedWrites;
  /** The id of the node that claims runs; null if there is only one process. */
  readonly node: string | null;
  /**
   * Collects the rows of ended items, which SQLite removes between commits; if null, they are
   * removed immediately.
   */
  readonly trim: EndedItemRows | null;
  /**
   * The tail's next row. A process never reuses a row number, so the content of a reader's row does
   * not change.
   */
  nextTail: number;
  /** Returns the number for a new run; numbers increase. */
  readonly takeRunNumber: () => number;
  /** Collects the changes of users' data by the current request, for the users' clients. */
  readonly notes: UserChange[];
  /** The endpoints that get messages about changes. */
  readonly webhooks: readonly WebhookSubscription[];
}
