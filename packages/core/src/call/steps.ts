/** A wait of a call, and the step that follows it. */
export interface Step {
  readonly on: unknown;
  readonly proceed: (value: never) => Step | undefined;
}

/** Returns the step that waits for `on`, if it is a promise, and then continues. */
export function wait<T>(on: T | Promise<T>, proceed: (value: T) => Step | undefined): Step {
  return { on, proceed };
}

/** Runs the steps of one call. No other part of the driver checks for promises. */
export class Steps {
  /** Incremented whenever the call continues. Pending steps of an earlier generation are ignored. */
  #generation = 0;
  readonly #fail: (thrown: unknown) => void;

  /** @param fail called if a step throws or its promise rejects */
  constructor(fail: (thrown: unknown) => void) {
    this.#fail = fail;
  }

  /** Runs the steps up to the next one that has to wait. Steps of an earlier `advance` are ignored. */
  advance(begin: () => Step | undefined): void {
    const generation = ++this.#generation;
    try {
      for (let step = begin(); step !== undefined && generation === this.#generation;) {
        const { on, proceed } = step;
        if (on instanceof Promise) {
          on.then(
            (value) => {
              if (generation === this.#generation) this.advance(() => proceed(value as never));
            },
            (thrown: unknown) => {
              if (generation === this.#generation) this.#fail(thrown);
            },
          );
          return;
        }
        step = proceed(on as never);
      }
    } catch (thrown) {
      if (generation === this.#generation) this.#fail(thrown);
    }
  }

  /** Ignores all pending steps. */
  end(): void {
    this.#generation++;
  }
}
