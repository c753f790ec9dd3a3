import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { Grant } from "../../policy/grant.ts";
import type { VariableChange } from "../../variables/variable.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { ChainResultRecord } from "./chain-result.ts";

/** Something that happened, as data. All writes of one commit are kept, or none. A host may have events of its own. */
export type JournalWrite<Event = ChainEvent> =
  | { readonly type: "event"; readonly event: Event }
  /** A finished message of the turn: what the model said, or what a call answered. */
  | { readonly type: "message"; readonly round: number; readonly message: Message }
  /** A call's new state; replaces the row with its `callId`. */
  | { readonly type: "call"; readonly call: CallRecord }
  | { readonly type: "variable"; readonly change: VariableChange }
  | { readonly type: "grant"; readonly grant: Grant }
  /** The chain stops here: waiting, or for good. */
  | { readonly type: "result"; readonly result: ChainResultRecord };

/** `fenced`: another process owns the chain now, and nothing was written. */
export type CommitOutcome =
  | { readonly status: "committed" }
  | { readonly status: "fenced"; readonly reason: string };

/**
 * Where a chain writes what happens, before anyone is told. In memory an array, in the server a
 * database. Commits are kept in the order in which they were made; a caller may await each, or
 * make several and await the last.
 */
export interface Journal {
  commit(writes: readonly JournalWrite[]): CommitOutcome | Promise<CommitOutcome>;
  /**
   * Calls back once, right before it writes next: what a chain says until then is one commit,
   * which it makes in the call. A journal without this is given each thing as it is said.
   */
  beforeNext?(commit: () => void): void;
}
