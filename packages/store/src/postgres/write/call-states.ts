import type { RunState, RunStates } from "../../decide/state/run-states.ts";

/** The run states of one call, apart from the shared ones until the call is accepted. */
export class CallStates implements Pick<RunStates, "get" | "set" | "drop"> {
  readonly #before: RunStates;
  readonly #changed = new Map<string, RunState | undefined>();

  constructor(before: RunStates) {
    this.#before = before;
  }

  get(id: string): RunState | undefined {
    return this.#changed.has(id) ? this.#changed.get(id) : this.#before.get(id);
  }

  set(state: RunState): void {
    this.#changed.set(state.id, state);
  }

  drop(id: string): void {
    this.#changed.set(id, undefined);
  }

  /** Copies the states into the shared ones. */
  commit(): void {
    for (const [id, state] of this.#changed)
      if (state === undefined) this.#before.drop(id);
      else this.#before.set(state);
  }
}
