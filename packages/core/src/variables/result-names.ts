import { resultNameOf, resultNumber } from "./result-name.ts";
import { resultNameBase, variableNameProblem } from "./variable-name.ts";

/** Names whose result is to come that are remembered, the newest of them. */
const remembered = 1000;

/** Gives the results of a session their names: `{tool}_{n}`, where `n` counts them all. */
export class ResultNames {
  readonly #isTaken: (name: string) => boolean;
  #count = 0;
  /** Names that were given to results that have not come, by the remainder of their `n`. */
  #reserved: (string | undefined)[] = [];
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

  /** Reserves the next name for a later result. */
  reserve(tool: string): string {
    const name = this.next(tool);
    this.#reserved[this.#count % remembered] = name;
    return name;
  }

  /** Whether `reserve` gave this name, and no result has taken it. */
  isReserved(name: string): boolean {
    return this.#reserved[(resultNumber(name) ?? 0) % remembered] === name;
  }

  /** A result has come: its name is the one it was promised, here or elsewhere, or another where that is none or somebody took it since. */
  given(name: string | undefined, tool: string): string {
    if (name === undefined) return this.next(tool);
    if (this.isReserved(name)) {
      this.#reserved[(resultNumber(name) ?? 0) % remembered] = undefined;
      // Nobody gave a variable a result's name: it is as free as when it was given.
      if (!this.#lookAlikes) return name;
    } else if (resultNameOf(name)?.result !== name || variableNameProblem(name) !== undefined)
      return this.next(tool);
    if (!this.#isFree(name)) return this.next(tool);
    this.#count = Math.max(this.#count, resultNumber(name) ?? 0);
    return name;
  }

  /** Continues the count after the number in this name. */
  continueAfter(last: string): void {
    this.#count = Math.max(this.#count, resultNameOf(last)?.n ?? 0);
  }

  /** Somebody gave a variable this name. */
  notice(name: string): void {
    this.#lookAlikes ||= resultNameOf(name) !== undefined;
  }

  /** Goes on where another session stands. */
  continue(other: ResultNames): void {
    this.#count = other.#count;
    this.#reserved = [...other.#reserved];
    this.#lookAlikes = other.#lookAlikes;
  }

  /** A result takes the names of its two parts as well. */
  #isFree(name: string): boolean {
    if (this.#isTaken(name)) return false;
    return !this.#lookAlikes || !(this.#isTaken(`${name}_args`) || this.#isTaken(`${name}_result`));
  }
}
