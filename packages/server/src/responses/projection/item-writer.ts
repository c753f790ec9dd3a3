import type { ItemStatus, OutputItem, UnnumberedEvent } from "./wire.ts";

/** Receives the events of a writer. */
export type Emit = (event: UnnumberedEvent) => void;

/** The position of an item in the output, which is given when its writer opens. */
export interface ItemPosition {
  readonly outputIndex: number;
  readonly itemId: string;
  readonly emit: Emit;
}

/**
 * `silent`: it has a position but no content yet. `open`: it still grows. `ended`: it has its final
 * form. `cut`: it does not grow, and later events decide whether it counts as finished.
 */
export type Phase = "silent" | "open" | "ended" | "cut";

/**
 * Writes one output item. Before it opens it buffers the content; when it opens it sends the buffer, and
 * from then on everything at once.
 */
export interface ItemWriter {
  readonly kind: "text" | "client_call" | "server_call" | "notice";
  /** What its item's id begins with: `msg`. */
  readonly prefix: string;
  /** An id that does not depend on the position. */
  readonly fixedId?: string;
  phase(): Phase;
  isOpen(): boolean;
  open(position: ItemPosition): void;
  /** The item as far as it is; only after it opened. */
  snapshot(): OutputItem;
  /** Sends what closes it, and gives its final form. `incomplete`: it was cut off. */
  close(status: Exclude<ItemStatus, "in_progress">): OutputItem;
}

/** Returns the position of a writer that must be open. @throws Error if it is not */
export function positionOf(position: ItemPosition | undefined): ItemPosition {
  if (position === undefined) throw new Error("An output item was used before it was opened.");
  return position;
}
