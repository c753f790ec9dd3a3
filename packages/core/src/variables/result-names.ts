import { resultNameOf } from "./result-name.ts";
import { resultNameBase } from "./variable-name.ts";

/** Gives the results of a session their names: `{tool}_{n}`, where `n` counts them all. */
export class ResultNames {
  readonly #isTaken: (name: string) => boolean;
  #count = 0;
  /** Whether somebody else may have given a name that a result would get. */
  #lookAlikes = false;

  constructor(isTaken: (name: string) => boolean) {
    this.#isTaken = isTaken;
  }

  /** The highest `n` so far. */
  get count(): number {
    return this.#count;
  }

  /** The next name, which comes once. */
  next(tool: string): string {
    const base = resultNameBase(tool);
    for (;;) {
      this.#count += 1;
      const name = `${base}_${this.#count}`;
      if (!this.#lookAlikes || this.#isFree(name)) return name;
    }
  }

  /** The name that `next` gave, or another where it is none or somebody took it since. */
  given(name: string | undefined, tool: string): string {
    const said = name === undefined ? undefined : resultNameOf(name);
    if (name === undefined || said?.result !== name || !this.#isFree(name)) return this.next(tool);
    this.#count = Math.max(this.#count, said.n);
    return name;
  }

  /** The count goes on behind what this name says. */
  goOnBehind(last: string): void {
    this.#count = Math.max(this.#count, resultNameOf(last)?.n ?? 0);
  }

  /** Somebody gave a variable this name. */
  notice(name: string): void {
    this.#lookAlikes ||= resultNameOf(name) !== undefined;
  }

  /** Goes on where another session stands. */
  continue(other: ResultNames): void {
    this.#count = other.#count;
    this.#lookAlikes = other.#lookAlikes;
  }

  /** A result takes the names of its two parts as well. */
  #isFree(name: string): boolean {
    if (this.#isTaken(name)) return false;
    return !this.#lookAlikes || !(this.#isTaken(`${name}_args`) || this.#isTaken(`${name}_result`));
  }
}
