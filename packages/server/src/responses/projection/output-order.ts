import type { OutputItem } from "./wire.ts";
import type { Emit, ItemWriter } from "./item-writer.ts";

/**
 * The order of the output items. One item is the current output: the first in the queue. The writers
 * behind it buffer, so producers never wait.
 */
export interface OutputOrder {
  enter(writer: ItemWriter): void;
  /** Removes a writer that has not opened. */
  withdraw(writer: ItemWriter): void;
  /** Sends everything that can be sent. `hold`: the end of a text may still turn out to be a cut. */
  advance(options: { readonly hold: boolean }): void;
  /** Whether the current output is an incomplete call of the client. */
  isInCall(): boolean;
  /** Ends the response: closes open items, and drops those that never opened. */
  finish(options: { readonly completed: boolean }): void;
  /** The items so far, the current output as far as it is written. */
  output(): readonly OutputItem[];
}

export function createOutputOrder(options: {
  readonly emit: Emit;
  /** An item's id from its writer's prefix and its position. */
  readonly itemId: (prefix: string, outputIndex: number) => string;
}): OutputOrder {
  const finished: OutputItem[] = [];
  /** Theirs, which hold what they share with other readers of the run. */
  const closed: ItemWriter[] = [];
  let queue: ItemWriter[] = [];

  const open = (writer: ItemWriter): void => {
    if (writer.isOpen()) return;
    const outputIndex = finished.length;
    const itemId = writer.fixedId ?? options.itemId(writer.prefix, outputIndex);
    writer.open({ outputIndex, itemId, emit: options.emit });
  };

  const close = (writer: ItemWriter, status: "completed" | "incomplete"): void => {
    open(writer);
    finished.push(writer.close(status));
    closed.push(writer);
  };

  return {
    enter(writer) {
      queue.push(writer);
    },
    withdraw(writer) {
      if (!writer.isOpen()) queue = queue.filter((other) => other !== writer);
    },
    advance({ hold }) {
      for (let writer = queue[0]; writer !== undefined; writer = queue[0]) {
        if (writer.phase() === "silent") return;
        open(writer);
        const isLast = queue.length === 1;
        const phase = writer.phase();
        if (phase === "open") return;
        // A cut call must never look complete, so it waits for the end of the response.
        if (phase === "cut" && (isLast || writer.kind === "client_call")) return;
        if (isLast && hold && writer.kind === "text") return;
        close(writer, "completed");
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
      for (const [position, writer] of rest.entries()) {
        // Only the last item of a response that was cut off may be incomplete.
        const isCut = writer.phase() !== "ended" && !completed && position === rest.length - 1;
        close(writer, isCut || isCutCall(writer) ? "incomplete" : "completed");
      }
    },
    output() {
      const current = queue[0];
      return current?.isOpen() === true ? [...finished, current.snapshot()] : [...finished];
    },
  };
}

function isCutCall(writer: ItemWriter): boolean {
  return writer.kind === "client_call" && writer.phase() !== "ended";
}

/** What of the queue is still shown when the response ends. */
function remaining(queue: readonly ItemWriter[]): readonly ItemWriter[] {
  const shown = queue.filter(
    (writer) => writer.phase() !== "silent" && (writer.isOpen() || !isCutCall(writer)),
  );
  // An incomplete item must be the last one, and a cut call cannot be called complete.
  const cut = shown.findIndex(isCutCall);
  return cut === -1 ? shown : shown.slice(0, cut + 1);
}
