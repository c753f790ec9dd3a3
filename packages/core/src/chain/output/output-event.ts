import type { ChainEvent } from "../journal/chain-event.ts";

/** A piece of what a tool says. A call's pieces, one after the other, are its whole output. */
export interface OutputText {
  readonly type: "output.text";
  readonly callId: string;
  readonly text: string;
  /** It is the assistant's message: the call's tool is final. */
  readonly final?: true;
}

/** Events of a call that were too many to keep and could not be read again. */
export interface OutputOmitted {
  readonly type: "output.omitted";
  readonly callId: string;
  readonly events: number;
}

/** What a reader gets: the events as they were, but a tool's words as `output.text`. */
export type OutputEvent<E> = E | OutputText | OutputOmitted;

/** Anything with a type; what is not a `ChainEvent` is passed on like one of no call. */
export interface AnyEvent {
  readonly type: string;
}

/** An event as a chain's. Others have types that no chain has. */
export function asChainEvent(event: AnyEvent): ChainEvent {
  return event as ChainEvent;
}
