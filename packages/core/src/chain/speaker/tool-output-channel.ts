import type { ChainEvent, StreamedItem } from "../journal/chain-event.ts";
import { type AnyEvent, asChainEvent, type OutputEvent } from "./output-event.ts";
import { type Budget, type LaneSource, OutputLane } from "./output-lane.ts";

export interface ToolOutputChannelOptions<E> {
  /** Who speaks first: the call that started first, or the one that said something first. @default "start" */
  readonly order?: "start" | "first-to-speak";
  /** Characters kept of a call that waits for its turn. @default 65536 */
  readonly limit?: number;
  /** Characters kept of everything that is unread. @default 8388608 */
  readonly totalLimit?: number;
  /**
   * The events after a position once more, from where they are stored: what could not be kept is
   * read with it. It is left as soon as enough was read. Without it, what does not fit is left
   * out of a call's output, and said to be.
   */
  readonly replay?: (after: number) => AsyncIterable<E> | Iterable<E>;
  /** An event's place in the whole; grows from event to event. @default how many there were, itself included */
  readonly position?: (event: E) => number;
}

/** What follows one model turn: the calls, and what concerns none of them or cannot wait. */
interface Act<E extends AnyEvent> {
  readonly story: OutputLane<E>;
  readonly speakers: OutputLane<E>[];
}

/**
 * One speaker at a time, for a reader that can show only one. Calls run beside one another, say
 * what they like and never wait for the floor; the order is made here, where it is read: whole
 * calls, one after the other. Questions to a person and news of no call pass at once; nothing of
 * the next model turn, nor the end, comes before what came before it.
 *
 * Whoever pushes is never held back, however slow the reader is and whether there is one: what
 * waits is kept up to a limit and else read again from where it is stored.
 *
 * @example
 * const channel = new ToolOutputChannel();
 * const run = runToolChain({ ...options, onEvent: (event) => channel.push(event) });
 * for await (const event of channel.read())
 *   if (event.type === "output.text") process.stdout.write(event.text);
 */
export class ToolOutputChannel<E extends AnyEvent = ChainEvent> {
  readonly #options: ToolOutputChannelOptions<E>;
  readonly #budget: Budget;
  readonly #source: LaneSource<E>;
  readonly #acts: Act<E>[];
  /** The calls that may still say something, by id. */
  readonly #open = new Map<string, OutputLane<E>>();
  /** Of those, the ones that have not said anything yet; they have no place in the order. */
  readonly #silent = new Set<OutputLane<E>>();
  readonly #started = new Set<string>();
  readonly #callOfItem = new Map<string, string>();
  #last = 0;
  #ended = false;
  #reading = false;
  #wake: (() => void) | undefined;

  constructor(options: ToolOutputChannelOptions<E> = {}) {
    const { limit = 65_536, totalLimit = 8 * 1024 * 1024, replay } = options;
    this.#options = options;
    this.#budget = { lane: limit, total: totalLimit, used: 0 };
    this.#source = {
      callOf: (event) => this.#callOf(asChainEvent(event)),
      replay: replay === undefined ? undefined : (after) => this.#numbered(replay(after), after),
    };
    this.#acts = [this.#newAct()];
  }

  /** Characters that are kept now. Never above `totalLimit`. */
  get kept(): number {
    return this.#budget.used;
  }

  /** Takes an event. After the chain's last one, nothing more is taken. */
  push(event: E): void {
    if (this.#ended) return;
    const position = this.#options.position?.(event) ?? this.#last + 1;
    this.#last = position;
    const chainEvent = asChainEvent(event);
    if (isBoundary(chainEvent)) this.#nextAct();
    const callId = this.#callOf(chainEvent);
    if (callId === undefined) this.#act().story.push(event, position);
    else this.#speak(callId, chainEvent, event, position);
    if (chainEvent.type === "chain.ended") this.#ended = true;
    this.#wake?.();
  }

  /** Nothing more will be pushed. What is there can still be read. */
  end(): void {
    this.#nextAct();
    this.#ended = true;
    this.#wake?.();
  }

  /**
   * What was pushed, in the order of the speakers; ends with the chain. One reader at a time: a
   * later one goes on where the last one left.
   *
   * @throws Error where another one is reading, or where events that belong to no call were too
   *   many to keep and could not be read again
   */
  async *read(): AsyncGenerator<OutputEvent<E>, void, undefined> {
    if (this.#reading) throw new Error("This channel is being read. Give each reader its own.");
    this.#reading = true;
    try {
      for (;;) {
        const taken = this.#take();
        const event = taken instanceof Promise ? await taken : taken;
        if (event !== undefined) yield event;
        else if (taken === undefined) {
          if (this.#ended) return;
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#wake = resolve;
          await promise;
        }
      }
    } finally {
      const [act] = this.#acts;
      await Promise.all([act?.story.rest(), act?.speakers[0]?.rest()]);
      this.#reading = false;
    }
  }

  #take(): OutputEvent<E> | undefined | Promise<OutputEvent<E> | undefined> {
    for (;;) {
      const [act, next] = this.#acts;
      if (act === undefined) return undefined;
      if (!act.story.isEmpty) return act.story.take();
      const [speaker] = act.speakers;
      if (speaker === undefined) {
        if (next === undefined) return undefined;
        this.#acts.shift();
      } else if (!speaker.isEmpty) return speaker.take();
      else if (speaker.ended) act.speakers.shift();
      else return undefined;
    }
  }

  #speak(callId: string, { type }: ChainEvent, event: E, position: number): void {
    let lane = this.#open.get(callId);
    if (lane === undefined) {
      lane = this.#newLane(callId);
      this.#open.set(callId, lane);
      this.#silent.add(lane);
    }
    const speaks = type !== "call.started" && type !== "item.start";
    if (speaks || this.#options.order !== "first-to-speak") this.#seat(lane);
    lane.push(event, position);
    if (type !== "call.settled") return;
    lane.ended = true;
    this.#open.delete(callId);
  }

  /** Gives a call its place in the order, once. */
  #seat(lane: OutputLane<E>): void {
    if (this.#silent.delete(lane)) this.#act().speakers.push(lane);
  }

  /** What comes now waits for all before it; and no call outlives its turn, whatever became of it. */
  #nextAct(): void {
    for (const lane of this.#silent) this.#seat(lane);
    for (const lane of this.#open.values()) lane.ended = true;
    this.#open.clear();
    if (this.#act().speakers.length > 0) this.#acts.push(this.#newAct());
  }

  #act(): Act<E> {
    return this.#acts.at(-1) as Act<E>;
  }

  #newAct(): Act<E> {
    return { story: this.#newLane(undefined), speakers: [] };
  }

  #newLane(callId: string | undefined): OutputLane<E> {
    return new OutputLane(callId, this.#source, this.#budget);
  }

  /** The call that an event is part of the output of. One that never started says nothing. */
  #callOf(event: ChainEvent): string | undefined {
    switch (event.type) {
      case "call.started":
      case "call.progress":
      case "call.event":
        this.#started.add(event.callId);
        return event.callId;
      case "call.settled":
        return this.#started.has(event.callId) ? event.callId : undefined;
      case "item.start":
        if (!isOfCall(event)) return undefined;
        this.#started.add(event.callId);
        this.#callOfItem.set(event.itemId, event.callId);
        return event.callId;
      case "item.delta":
      case "item.end":
        return this.#callOfItem.get(event.itemId);
      default:
        return undefined;
    }
  }

  async *#numbered(events: AsyncIterable<E> | Iterable<E>, after: number) {
    let position = after;
    for await (const event of events) {
      position = this.#options.position?.(event) ?? position + 1;
      yield [event, position] as const;
    }
  }
}

/** What a call says, a final one's words too; the rest is the model's. */
function isOfCall(item: StreamedItem): item is StreamedItem & { readonly callId: string } {
  return item.kind === "output" || (item.kind === "text" && item.callId !== undefined);
}

/** Calls of before have all ended when one of these comes: the model speaks, or the chain stops. */
function isBoundary(event: ChainEvent): boolean {
  switch (event.type) {
    case "round.started":
    case "limit.reached":
    case "chain.waiting":
    case "chain.ended":
      return true;
    case "item.start":
      return !isOfCall(event);
    default:
      return false;
  }
}
