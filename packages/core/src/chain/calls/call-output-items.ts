import type { CallRecord } from "../../call/record/call-record.ts";
import {
  placeAnnotations,
  type PlacedAnnotation,
  resultSources,
  shiftAnnotations,
} from "../../model/annotation.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import type { ChainEvent } from "../journal/chain-event.ts";

const none: readonly ChainEvent[] = [];

/** The answer of a turn's final tools. */
export interface FinalAnswer {
  readonly text: string;
  readonly annotations: readonly PlacedAnnotation[];
}

/** Returns the sources that the answer of a final call cites. */
function citations({ final, answer = "", result }: CallRecord): {
  readonly annotations?: readonly PlacedAnnotation[];
} {
  if (final !== true || answer === "" || result === undefined) return {};
  const annotations = placeAnnotations(answer, resultSources(result), { ownPositions: true });
  return annotations.length === 0 ? {} : { annotations };
}

interface CallOutputItem {
  readonly itemId: string;
  readonly parts: string[];
}

/**
 * Streams the output of running calls as items. The output of a final call is the assistant's text:
 * its item opens when the call starts, so that the texts appear in the order in which the calls
 * started.
 */
export class CallOutputItems {
  readonly #newItemId: () => string;
  readonly #open = new Map<string, CallOutputItem>();
  /** Final calls in the order in which they started. */
  readonly #finals = new Set<string>();

  /**
   * @param before the calls of a resumed chain
   */
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

  /**
   * Closes the item of a call whose result is reviewed: an item must not stay open during the
   * review.
   */
  reviewed(callId: string): readonly ChainEvent[] {
    const item = this.#take(callId);
    if (item === undefined) return [];
    return [{ type: "item.end", itemId: item.itemId, text: item.parts.join("") }];
  }

  /**
   * Closes the item of a call. The record of a final call that was cut off keeps the text so far.
   */
  settled(record: CallRecord): {
    readonly record: CallRecord;
    readonly events: readonly ChainEvent[];
  } {
    const { callId, answer, status, final } = record;
    if (this.#open.size === 0 && record.review === undefined) return { record, events: none };
    // A final tool's text is shown only when a user has released it.
    const released = record.review !== undefined && answer !== undefined;
    const events: ChainEvent[] = released ? [this.#start(callId, "text")] : [];
    const item = this.#take(callId);
    if (item === undefined) return { record, events };
    const written = item.parts.join("");
    const isCut = final === true && status !== "succeeded";
    events.push({
      type: "item.end",
      itemId: item.itemId,
      text: answer ?? written,
      ...(isCut && { incomplete: true }),
      ...citations(record),
    });
    return { record: isCut && written !== "" ? { ...record, answer: written } : record, events };
  }

  /**
   * Returns the text of these calls' final tools, in the order in which the calls started, and the
   * sources that it cites. `cut`: includes the text of calls that were cut off.
   */
  finalAnswer(
    records: ReadonlyMap<string, CallRecord>,
    calls: readonly ToolCallRequest[],
    { cut }: { readonly cut: boolean },
  ): FinalAnswer {
    let text = "";
    const annotations: PlacedAnnotation[] = [];
    for (const callId of this.#finals) {
      const record = records.get(callId);
      const { answer, status, result } = record ?? {};
      if (record === undefined || answer === undefined) continue;
      if (!(cut || status === "succeeded") || !calls.some(({ id }) => id === callId)) continue;
      // Models reject an empty message, so an answer without text names its pictures.
      const content = answer.trim() === "" && result?.parts ? result.finalText : answer;
      if (content.trim() === "") continue;
      if (text !== "") text += "\n\n";
      const { annotations: cited = [] } = citations(record);
      annotations.push(...shiftAnnotations(cited, text.length));
      text += content;
    }
    return { text, annotations };
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
