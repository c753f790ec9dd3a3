/** The mailboxes of runs: one command of a run at a time, in the order in which they came. */
export class Mailboxes {
  /** Of each run with a command that runs or waits, the last one. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** The number of runs with a command that runs or waits. */
  get size(): number {
    return this.#last.size;
  }

  has(runId: string): boolean {
    return this.#last.has(runId);
  }

  /** Runs a command after those that came before it. A command must not wait for a later one of its run. */
  post<T>(runId: string, command: () => Promise<T>): Promise<T> {
    const before = this.#last.get(runId) ?? Promise.resolve();
    const mine = before.then(command);
    // One that fails is its sender's concern, and not that of the next one.
    const last = mine.catch(() => {});
    this.#last.set(runId, last);
    void last.then(() => {
      if (this.#last.get(runId) === last) this.#last.delete(runId);
    });
    return mine;
  }
}
