/** Events that a reader may be behind before its oldest are dropped. */
const readerLimit = 10_000;

/**
 * Hands events to any number of readers. Nobody is waited for: a reader that falls far behind
 * gets an error instead of a memory without bound. Without readers an event costs nothing.
 */
export class EventStream<T> {
  readonly #readers = new Set<Reader<T>>();
  #ended = false;

  /** Somebody reads along. */
  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  push(event: T): void {
    for (const reader of this.#readers) reader.push(event);
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.end();
  }

  /** What is pushed from this call on. */
  read(): AsyncIterable<T> {
    const reader = new Reader<T>();
    if (this.#ended) reader.end();
    else this.#readers.add(reader);
    const leave = () => this.#readers.delete(reader);
    return {
      async *[Symbol.asyncIterator]() {
        try {
          yield* reader.drain();
        } finally {
          leave();
        }
      },
    };
  }
}

class Reader<T> {
  #queue: T[] = [];
  #ended = false;
  #overrun = false;
  #wake: (() => void) | undefined;

  push(event: T): void {
    if (this.#queue.length >= readerLimit) this.#overrun = true;
    else this.#queue.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *drain(): AsyncGenerator<T> {
    for (;;) {
      const batch = this.#queue;
      this.#queue = [];
      yield* batch;
      if (this.#queue.length > 0) continue;
      if (this.#overrun)
        throw new Error(
          `This reader fell ${readerLimit} events behind. Read faster, or use onEvent.`,
        );
      if (this.#ended) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }
}
