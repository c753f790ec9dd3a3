import type { VariableSystem } from "@capstan/core";

/**
 * The variables of the runs that stopped last, so that a next turn need not read them back.
 * Only a copy of what the store has: letting one go costs time, never a value.
 */
export class WarmVariables {
  readonly #limit: number;
  readonly #byRun = new Map<string, VariableSystem>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  put(runId: string, variables: VariableSystem): void {
    this.#byRun.delete(runId);
    this.#byRun.set(runId, variables);
    for (const oldest of this.#byRun.keys()) {
      if (this.#byRun.size <= this.#limit) break;
      this.#byRun.delete(oldest);
    }
  }

  /** A copy to go on with: a fork must not change what its siblings see. */
  fork(runId: string): VariableSystem | undefined {
    return this.#byRun.get(runId)?.fork();
  }

  drop(runId: string): void {
    this.#byRun.delete(runId);
  }
}
