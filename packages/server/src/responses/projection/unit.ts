import type { ItemStatus, OutputItem, UnnumberedEvent } from "./wire.ts";

/** Where a unit's events go. */
export type Emit = (event: UnnumberedEvent) => void;

/** A unit's place in the output, given when it opens. */
export interface Place {
  readonly outputIndex: number;
  readonly itemId: string;
  readonly emit: Emit;
}

/**
 * `silent`: its place is taken, and whether it says anything is yet to be seen. `open` still grows; `ended` has its final form; `cut` will not grow, and what follows decides
 * whether it counts as finished.
 */
export type Phase = "silent" | "open" | "ended" | "cut";

/**
 * One output item in the making. Before it opens it only gathers its content; when it opens it
 * sends what it has, and from then on everything at once.
 */
export interface Unit {
  readonly kind: "text" | "client_call" | "server_call" | "notice";
  /** What its item's id begins with: `msg`. */
  readonly prefix: string;
  /** An id that does not come from its place. */
  readonly fixedId?: string;
  phase(): Phase;
  isOpen(): boolean;
  open(place: Place): void;
  /** The item as far as it is; only after it opened. */
  snapshot(): OutputItem;
  /** Sends what closes it, and gives its final form. `incomplete`: it was cut off. */
  close(status: Exclude<ItemStatus, "in_progress">): OutputItem;
}

/** The place of a unit that must have opened by now. */
export function placeOf(place: Place | undefined): Place {
  if (place === undefined) throw new Error("An output item was used before it was opened.");
  return place;
}
