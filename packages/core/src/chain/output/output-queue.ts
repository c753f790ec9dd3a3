import type { ChainEvent } from "../journal/chain-event.ts";
import { sizeOf } from "../../json/short-json.ts";

/** A piece of a tool's output. A call's pieces in order are its whole output. */
export interface OutputText {
  readonly type: "output.text";
  readonly callId: string;
  readonly text: string;
  /** The text is the assistant's message: the call's tool is final. */
  readonly final?: true;
}

/** Events of a call that exceeded the limit and could not be read again. */
interface OutputOmitted {
  readonly type: "output.omitted";
  readonly callId: string;
  readonly events: number;
}

/** An event for readers: unchanged, except that a tool's output is `output.text`. */
export type OutputEvent<E> = E | OutputText | OutputOmitted;

/**
 * Any value with a `type`. A value that is not a `ChainEvent` is passed on like an event of no
 * call.
 */
export interface AnyEvent {
  readonly type: string;
}

/**
 * Returns a custom event as a chain's event. Events of an unknown type are treated as events of no
 * call.
 */
export function asChainEvent(event: AnyEvent): ChainEvent {
  return event as ChainEvent;
}

/** The source from which a queue reads events again that exceeded the limit. */
export interface ReplaySource<E> {
  /** Yields the events after a position, with their positions. Absent if events are not stored. */
  readonly replay: ((after: number) => AsyncIterable<readonly [E, number]>) | undefined;
  /** Returns the id of an event's call, or undefined if it belongs to none. */
  readonly callOf: (event: E) => string | undefined;
}

/** The characters in all queues together, and their maximum. */
export interface OutputBudget {
  readonly perCall: number;
  readonly total: number;
  used: number;
}

interface Item {
  /** True for the text of a final call. */
  readonly final: boolean;
  pushed: number;
  read: number;
}

type Entry<E> =
  | { readonly type: "text"; readonly item: Item; parts: string[]; size: number }
  | { readonly type: "event"; readonly event: E; readonly size: number };

/** Events that exceeded the limit, from the one after `at` to `upTo`. */
interface Spill<E> {
  at: number;
  upTo: number;
  /** The number of this queue's events that were not yet read again. */
  left: number;
  reading: AsyncIterator<readonly [E, number]> | undefined;
  /** Whether the current replay has made progress. */
  madeProgress: boolean;
}

/** The number of pieces of a text that are stored separately before they are joined. */
const maxPieces = 32;

/**
 * The events of one call, or of no call, in order. They are in memory up to the budget; events
 * beyond it are read again from the store. `push` never waits.
 */
export class OutputQueue<E extends AnyEvent> {
  readonly callId: string | undefined;
  ended = false;
  readonly #source: ReplaySource<E>;
  readonly #budget: OutputBudget;
  readonly #items = new Map<string, Item>();
  #entries: Entry<E>[] = [];
  #first = 0;
  #size = 0;
  #spill: Spill<E> | undefined;

  constructor(callId: string | undefined, source: ReplaySource<E>, budget: OutputBudget) {
    this.callId = callId;
    this.#source = source;
    this.#budget = budget;
  }

  get isEmpty(): boolean {
    return this.#first === this.#entries.length && this.#spill === undefined;
  }

  push(event: E, position: number): void {
    if (this.#spill !== undefined) {
      this.#spill.upTo = position;
      this.#spill.left++;
      this.#countText(event);
      return;
    }
    const text = this.#countText(event);
    if (text?.piece === "") return;
    const size = text === undefined ? sizeOf(event) : text.piece.length;
    if (!this.#fits(size)) {
      const at = position - 1;
      this.#spill = { at, upTo: position, left: 1, reading: undefined, madeProgress: false };
      return;
    }
    this.#size += size;
    this.#budget.used += size;
    if (text === undefined) this.#entries.push({ type: "event", event, size });
    else this.#keepText(text.item, text.piece);
  }

  /**
   * Returns the next event, or a promise if it is read again. The promise may resolve to undefined.
   */
  take(): OutputEvent<E> | undefined | Promise<OutputEvent<E> | undefined> {
    const entry = this.#entries[this.#first];
    if (entry === undefined) return this.#spill === undefined ? undefined : this.#pull(this.#spill);
    this.#first++;
    if (this.#first === this.#entries.length) {
      this.#entries = [];
      this.#first = 0;
    }
    this.#size -= entry.size;
    this.#budget.used -= entry.size;
    if (entry.type === "event") return entry.event;
    return this.#textEvent(entry.item, entry.parts.join(""));
  }

  /** Returns the text that an event adds, or undefined if it is not text of a call. */
  #countText(event: E): { readonly item: Item; readonly piece: string } | undefined {
    const words = this.#textOf(event);
    if (words === undefined) return undefined;
    const { item, delta, whole } = words;
    const piece = delta ?? whole.slice(item.pushed);
    item.pushed += piece.length;
    return { item, piece };
  }

  /** Returns the text of an output event: a piece, or the full text at its end. */
  #textOf(event: E) {
    const chainEvent = asChainEvent(event);
    if (this.callId === undefined) return undefined;
    switch (chainEvent.type) {
      case "item.start":
        return {
          item: this.#item(chainEvent.itemId, chainEvent.kind === "text"),
          delta: "",
          whole: "",
        };
      case "item.delta":
        return { item: this.#item(chainEvent.itemId), delta: chainEvent.delta, whole: "" };
      case "item.end":
        return { item: this.#item(chainEvent.itemId), delta: undefined, whole: chainEvent.text };
      default:
        return undefined;
    }
  }

  #item(itemId: string, final = false): Item {
    let item = this.#items.get(itemId);
    if (item === undefined) this.#items.set(itemId, (item = { final, pushed: 0, read: 0 }));
    return item;
  }

  #fits(size: number): boolean {
    const { perCall, total, used } = this.#budget;
    if (used + size > total) return false;
    // Events of no call are small and must be delivered immediately: only the total limit applies
    // to them.
    return this.callId === undefined || this.#size + size <= perCall;
  }

  #keepText(item: Item, piece: string): void {
    const last = this.#entries.at(-1);
    if (last?.type !== "text" || last.item !== item || this.#first === this.#entries.length) {
      this.#entries.push({ type: "text", item, parts: [piece], size: piece.length });
      return;
    }
    last.parts.push(piece);
    last.size += piece.length;
    if (last.parts.length > maxPieces) last.parts = [last.parts.join("")];
  }

  #textEvent(item: Item, text: string): OutputEvent<E> {
    item.read += text.length;
    const words = { type: "output.text", callId: this.callId ?? "", text } as const;
    return item.final ? { ...words, final: true } : words;
  }

  /** Reads the next event from the store, or returns undefined if all were read. */
  async #pull(spill: Spill<E>): Promise<OutputEvent<E> | undefined> {
    try {
      while (spill.at < spill.upTo) {
        spill.reading ??= this.#source.replay?.(spill.at)[Symbol.asyncIterator]();
        const next = await spill.reading?.next();
        if (next === undefined || next.done === true) {
          // A replay may end at the events that existed when it began: repeat it as long as it
          // makes progress.
          if (!spill.madeProgress) return await this.#omit(spill);
          spill.reading = undefined;
          spill.madeProgress = false;
          continue;
        }
        const [event, position] = next.value;
        if (position <= spill.at) continue;
        spill.at = position;
        spill.madeProgress = true;
        // The store may be ahead of this queue: its later events have not been pushed yet.
        if (position > spill.upTo || this.#source.callOf(event) !== this.callId) continue;
        spill.left--;
        const again = this.#again(event);
        if (again !== undefined) return again;
      }
    } catch (thrown) {
      return this.#omit(spill, thrown);
    }
    this.#spill = undefined;
    await closeReplay(spill);
    return undefined;
  }

  #again(event: E): OutputEvent<E> | undefined {
    const words = this.#textOf(event);
    if (words === undefined) return event;
    const text = words.delta ?? words.whole.slice(words.item.read);
    return text === "" ? undefined : this.#textEvent(words.item, text);
  }

  async #omit(spill: Spill<E>, cause?: unknown): Promise<OutputEvent<E> | undefined> {
    this.#spill = undefined;
    await closeReplay(spill);
    for (const item of this.#items.values()) item.read = item.pushed;
    if (this.callId === undefined)
      throw new Error(
        `This reader fell ${spill.left} events behind, and they could not be read again. Read faster, or give the channel \`replay\`.`,
        { cause },
      );
    return spill.left > 0
      ? { type: "output.omitted", callId: this.callId, events: spill.left }
      : undefined;
  }

  /** Closes the replay until the next event is taken. */
  async pauseReplay(): Promise<void> {
    if (this.#spill !== undefined) await closeReplay(this.#spill);
  }
}

async function closeReplay<E>(spill: Spill<E>): Promise<void> {
  const { reading } = spill;
  spill.reading = undefined;
  spill.madeProgress = false;
  try {
    await reading?.return?.();
  } catch {
    // The replay is no longer needed, so its error is ignored.
  }
}
