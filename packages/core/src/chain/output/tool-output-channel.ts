import type { ChainEvent, StreamedItem } from "../journal/chain-event.ts";
import {
  type AnyEvent,
  asChainEvent,
  type OutputEvent,
  type OutputBudget,
  type ReplaySource,
  OutputQueue,
} from "./output-queue.ts";

/** The options of `ToolOutputChannel`. */
export interface ToolOutputChannelOptions<E> {
  /** The output order of calls: by their start, or by their first output. @default "start" */
  readonly order?: "start" | "first-output";
  /** Characters stored of a call that is not the current output. @default 65536 */
  readonly limit?: number;
  /** Characters stored of all unread events. @default 8388608 */
  readonly totalLimit?: number;
  /**
   * Yields the stored events after a position. The channel uses it to read events that exceeded the
   * limits, and ends the iteration as soon as it has them. Without it, these events are omitted
   * from the call's output, and an event reports the omission.
   */
  readonly replay?: (after: number) => AsyncIterable<E> | Iterable<E>;
  /**
   * Returns an event's position, which grows from event to event. @default the number of pushed
   * events, including itself
   */
  readonly position?: (event: E) => number;
}

/**
 * The events that follow one model turn: the output of calls, and other events, which belong to no
 * call or must not wait.
 */
interface Section<E extends AnyEvent> {
  readonly other: OutputQueue<E>;
  readonly outputs: OutputQueue<E>[];
}

/**
 * Orders the output of parallel calls for a reader that shows one call at a time. Calls run in
 * parallel and never wait for the current output. Reading the output puts it in order: one complete
 * call after the other. Approval requests and events of no call are delivered immediately. Events
 * of the next model turn, and the end, follow all earlier events.
 *
 * `push` never waits, even if the reader is slow or there is none. Unread events are stored up to a
 * limit, and events beyond it are read again from the store.
 *
 * @example
 * const channel = new ToolOutputChannel();
 * const run = runToolChain({ ...options, onEvent: (event) => channel.push(event) });
 * for await (const event of channel.read())
 *   if (event.type === "output.text") process.stdout.write(event.text);
 */
export class ToolOutputChannel<E extends AnyEvent = ChainEvent> {
  readonly #options: ToolOutputChannelOptions<E>;
  readonly #budget: OutputBudget;
  readonly #source: ReplaySource<E>;
  readonly #sections: Section<E>[];
  /** The calls that may still write output, by id. */
  readonly #open = new Map<string, OutputQueue<E>>();
  /** The open calls without output so far; they are not in the output order yet. */
  readonly #unordered = new Set<OutputQueue<E>>();
  readonly #started = new Set<string>();
  readonly #callOfItem = new Map<string, string>();
  #last = 0;
  #ended = false;
  #reading = false;
  #wake: (() => void) | undefined;

  constructor(options: ToolOutputChannelOptions<E> = {}) {
    const { limit = 65_536, totalLimit = 8 * 1024 * 1024, replay } = options;
    this.#options = options;
    this.#budget = { perCall: limit, total: totalLimit, used: 0 };
    this.#source = {
      callOf: (event) => this.#callOf(asChainEvent(event)),
      replay: replay === undefined ? undefined : (after) => this.#numbered(replay(after), after),
    };
    this.#sections = [this.#newSection()];
  }

  /** Characters that are stored now. Never above `totalLimit`. */
  get kept(): number {
    return this.#budget.used;
  }

  /** Adds an event. Events after the chain's last one are ignored. */
  push(event: E): void {
    if (this.#ended) return;
    const position = this.#options.position?.(event) ?? this.#last + 1;
    this.#last = position;
    const chainEvent = asChainEvent(event);
    if (isBoundary(chainEvent)) this.#nextSection();
    const callId = this.#callOf(chainEvent);
    if (callId === undefined) this.#section().other.push(event, position);
    else this.#pushToCall(callId, chainEvent, event, position);
    if (chainEvent.type === "chain.ended") this.#ended = true;
    this.#wake?.();
  }

  /** Ends the channel: no more events are pushed. The stored events can still be read. */
  end(): void {
    this.#nextSection();
    this.#ended = true;
    this.#wake?.();
  }

  /**
   * Yields the pushed events in output order, and ends with the chain. Allows one reader at a time.
   * The next reader continues after the last event that was read.
   *
   * @throws Error if another reader is active, or if events of no call exceeded the limit and could
   * not be read again
   */
  async *read(): AsyncGenerator<OutputEvent<E>, void, undefined> {
    if (this.#reading)
      throw new Error("This channel already has a reader. Create a channel for each reader.");
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
      const [section] = this.#sections;
      await Promise.all([section?.other.pauseReplay(), section?.outputs[0]?.pauseReplay()]);
      this.#reading = false;
    }
  }

  #take(): OutputEvent<E> | undefined | Promise<OutputEvent<E> | undefined> {
    for (;;) {
      const [section, next] = this.#sections;
      if (section === undefined) return undefined;
      if (!section.other.isEmpty) return section.other.take();
      const [current] = section.outputs;
      if (current === undefined) {
        if (next === undefined) return undefined;
        this.#sections.shift();
      } else if (!current.isEmpty) return current.take();
      else if (current.ended) section.outputs.shift();
      else return undefined;
    }
  }

  #pushToCall(callId: string, { type }: ChainEvent, event: E, position: number): void {
    let queue = this.#open.get(callId);
    if (queue === undefined) {
      queue = this.#newQueue(callId);
      this.#open.set(callId, queue);
      this.#unordered.add(queue);
    }
    const hasOutput = type !== "call.started" && type !== "item.start";
    if (hasOutput || this.#options.order !== "first-output") this.#addToOrder(queue);
    queue.push(event, position);
    if (type !== "call.settled") return;
    queue.ended = true;
    this.#open.delete(callId);
  }

  /** Adds a call to the output order, once. */
  #addToOrder(queue: OutputQueue<E>): void {
    if (this.#unordered.delete(queue)) this.#section().outputs.push(queue);
  }

  /**
   * Starts a section: its events wait for all earlier ones, and all calls of the previous section
   * are closed.
   */
  #nextSection(): void {
    for (const queue of this.#unordered) this.#addToOrder(queue);
    for (const queue of this.#open.values()) queue.ended = true;
    this.#open.clear();
    if (this.#section().outputs.length > 0) this.#sections.push(this.#newSection());
  }

  #section(): Section<E> {
    return this.#sections.at(-1) as Section<E>;
  }

  #newSection(): Section<E> {
    return { other: this.#newQueue(undefined), outputs: [] };
  }

  #newQueue(callId: string | undefined): OutputQueue<E> {
    return new OutputQueue(callId, this.#source, this.#budget);
  }

  /**
   * Returns the id of the call whose output an event belongs to. A call that never started has no
   * output.
   */
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

/**
 * Whether an item belongs to a call: it is the call's output, or a final call's text. Other items
 * are the model's.
 */
function isOfCall(item: StreamedItem): item is StreamedItem & { readonly callId: string } {
  return item.kind === "output" || (item.kind === "text" && item.callId !== undefined);
}

/** Whether all earlier calls have ended at this event: the model answers, or the chain stops. */
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
