/** Work that goes on by itself, until none is left. */
export class PendingWork {
  readonly #onFailure: (thrown: unknown) => void;
  #pending = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Begins at once, and may be done at once. What it throws is told to `onFailure`. */
  start(work: () => unknown): void {
    this.hold();
    this.release(work);
  }

  /** Something goes on until it is released. */
  hold(): void {
    this.#pending++;
  }

  /** What was held goes on no more, once this last bit of it is done. */
  release(work: () => unknown): void {
    try {
      const going = work();
      if (going instanceof Promise) return this.#follow(going);
    } catch (thrown) {
      this.#onFailure(thrown);
    }
    this.#done();
  }

  #follow(going: Promise<unknown>): void {
    void going.then(this.#done, (thrown: unknown) => {
      this.#onFailure(thrown);
      this.#done();
    });
  }

  readonly #done = (): void => {
    this.#pending--;
    if (this.#pending > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  };

  /** Resolves when nothing is left, what was begun meanwhile included; undefined where nothing is. */
  idle(): Promise<void> | undefined {
    return this.#pending === 0 ? undefined : this.#untilIdle();
  }

  async #untilIdle(): Promise<void> {
    while (this.#pending > 0) {
      this.#idle ??= Promise.withResolvers();
      await this.#idle.promise;
    }
  }
}
