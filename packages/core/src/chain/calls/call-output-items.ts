import type { CallRecord } from "../../call/record/call-record.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import type { ChainEvent } from "../journal/chain-event.ts";

const none: readonly ChainEvent[] = [];

interface CallOutputItem {
  readonly itemId: string;
  readonly parts: string[];
}

/**
 * The output of running calls as streamed items, which are opened and closed here. The output of a
 * final call is the assistant's text; its item opens when the call starts, so that answers appear in
 * the order of the starts.
 */
export class CallOutputItems {
  readonly #newItemId: () => string;
  readonly #open = new Map<string, CallOutputItem>();
  /** Final calls in the order in which they started. */
  readonly #finals = new Set<string>();

  /** `before`: the calls of a resumed chain. */
  constructor(newItemId: () => string, before: Iterable<CallRecord>) {
    this.#newItemId = newItemId;
    const finals = [...before].filter(({ final }) => final === true);
    for (const { callId } of finals.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)))
      this.#finals.add(callId);
  }

  started({ callId, final }: CallRecord): readonly ChainEvent[] {
    if (final !== true) return none;
    this.#finals.add(callId);
    return [this.#start(callId, "text")];
  }

  write(callId: string, delta: string): readonly ChainEvent[] {
    const started = this.#open.has(callId) ? [] : [this.#start(callId, "output")];
    const { itemId, parts } = this.#open.get(callId) as CallOutputItem;
    parts.push(delta);
    return [...started, { type: "item.delta", itemId, delta }];
  }

  /** A call's result is to be reviewed: an item must not stay open meanwhile. */
  reviewed(callId: string): readonly ChainEvent[] {
    const item = this.#take(callId);
    if (item === undefined) return [];
    return [{ type: "item.end", itemId: item.itemId, text: item.parts.join("") }];
  }

  /** Closes what a call said. The record of a final one that was cut off keeps what was heard. */
  settled(record: CallRecord): {
    readonly record: CallRecord;
    readonly events: readonly ChainEvent[];
  } {
    const { callId, answer, status, final } = record;
    if (this.#open.size === 0 && record.review === undefined) return { record, events: none };
    // What a person released begins to be said now.
    const released = record.review !== undefined && answer !== undefined;
    const events: ChainEvent[] = released ? [this.#start(callId, "text")] : [];
    const item = this.#take(callId);
    if (item === undefined) return { record, events };
    const said = item.parts.join("");
    const isCut = final === true && status !== "succeeded";
    events.push({
      type: "item.end",
      itemId: item.itemId,
      text: answer ?? said,
      ...(isCut && { incomplete: true }),
    });
    return { record: isCut && said !== "" ? { ...record, answer: said } : record, events };
  }

  /**
   * What the final ones of these calls said, in the order in which they started. `cut`: those too
   * that did not come to their end, where some was heard.
   */
  finalText(
    records: ReadonlyMap<string, CallRecord>,
    calls: readonly ToolCallRequest[],
    { cut }: { readonly cut: boolean },
  ): string {
    const words: string[] = [];
    for (const callId of this.#finals) {
      const { answer = "", status } = records.get(callId) ?? {};
      if (answer.trim() === "" || !(cut || status === "succeeded")) continue;
      if (calls.some(({ id }) => id === callId)) words.push(answer);
    }
    return words.join("\n\n");
  }

  #start(callId: string, kind: "text" | "output"): ChainEvent {
    const itemId = this.#newItemId();
    this.#open.set(callId, { itemId, parts: [] });
    return { type: "item.start", itemId, kind, callId };
  }

  #take(callId: string): CallOutputItem | undefined {
    const item = this.#open.get(callId);
    this.#open.delete(callId);
    return item;
  }
}
