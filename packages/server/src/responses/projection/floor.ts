import type { OutputItem } from "./wire.ts";
import type { Emit, Unit } from "./unit.ts";

/**
 * The order of items at the reader. One item is on the wire at a time: the first in the queue.
 * Those behind it gather what they have to say, and nobody who produces it ever waits.
 */
export interface Floor {
  enter(unit: Unit): void;
  /** Takes back what nobody has seen yet. */
  withdraw(unit: Unit): void;
  /** Sends all that can be sent. `hold`: the end of a text may yet turn out to be a cut. */
  advance(options: { readonly hold: boolean }): void;
  /** Whether the item on the wire is a client's call that is not whole. */
  isInCall(): boolean;
  /** The response ends: shows what happened, and drops what was never begun. */
  finish(options: { readonly completed: boolean }): void;
  /** The items so far, the one on the wire as far as it is. */
  output(): readonly OutputItem[];
}

export function createFloor(options: {
  readonly emit: Emit;
  /** An item's id from its unit's prefix and its place. */
  readonly itemId: (prefix: string, outputIndex: number) => string;
}): Floor {
  const finished: OutputItem[] = [];
  /** Theirs, which hold what they share with other readers of the run. */
  const closed: Unit[] = [];
  let queue: Unit[] = [];

  const open = (unit: Unit): void => {
    if (unit.isOpen()) return;
    const outputIndex = finished.length;
    const itemId = unit.fixedId ?? options.itemId(unit.prefix, outputIndex);
    unit.open({ outputIndex, itemId, emit: options.emit });
  };

  const close = (unit: Unit, status: "completed" | "incomplete"): void => {
    open(unit);
    finished.push(unit.close(status));
    closed.push(unit);
  };

  return {
    enter(unit) {
      queue.push(unit);
    },
    withdraw(unit) {
      if (!unit.isOpen()) queue = queue.filter((other) => other !== unit);
    },
    advance({ hold }) {
      for (let unit = queue[0]; unit !== undefined; unit = queue[0]) {
        if (unit.phase() === "silent") return;
        open(unit);
        const isLast = queue.length === 1;
        const phase = unit.phase();
        if (phase === "open") return;
        // A cut call must never look complete, so it waits for the end of the response.
        if (phase === "cut" && (isLast || unit.kind === "client_call")) return;
        if (isLast && hold && unit.kind === "text") return;
        close(unit, "completed");
        queue.shift();
      }
    },
    isInCall() {
      const current = queue[0];
      return current !== undefined && current.isOpen() && isCutCall(current);
    },
    finish({ completed }) {
      const rest = remaining(queue);
      queue = [];
      for (const [position, unit] of rest.entries()) {
        // Only the last item of a response that was cut off may be incomplete.
        const isCut = unit.phase() !== "ended" && !completed && position === rest.length - 1;
        close(unit, isCut || isCutCall(unit) ? "incomplete" : "completed");
      }
    },
    output() {
      const current = queue[0];
      return current?.isOpen() === true ? [...finished, current.snapshot()] : [...finished];
    },
  };
}

function isCutCall(unit: Unit): boolean {
  return unit.kind === "client_call" && unit.phase() !== "ended";
}

/** What of the queue is still shown when the response ends. */
function remaining(queue: readonly Unit[]): readonly Unit[] {
  const shown = queue.filter(
    (unit) => unit.phase() !== "silent" && (unit.isOpen() || !isCutCall(unit)),
  );
  // An incomplete item must be the last one, and a cut call cannot be called complete.
  const cut = shown.findIndex(isCutCall);
  return cut === -1 ? shown : shown.slice(0, cut + 1);
}
