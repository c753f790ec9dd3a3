import { isPlainName } from "../base/id.ts";

/** Characters of a variable's name. */
export const maxNameLength = 200;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const sliceEnding = /:\d+$/;

/**
 * Why a name cannot be used, or undefined if it can. A name is refused where a reference to it
 * would be ambiguous: `$VAR_REF{{name:3:5}}`, `$VAR_REF{{name#/pointer}}`, or an early `}}`.
 *
 * @example variableNameProblem("notes:3") // "must not end like a slice (`:3`)"
 */
export function variableNameProblem(name: string): string | undefined {
  if (typeof name !== "string") return "must be text";
  if (name.trim() === "") return "must not be empty";
  if (name !== name.trim()) return "must not begin or end with white space";
  if (name.length > maxNameLength)
    return `must have at most ${maxNameLength} characters, not ${name.length}`;
  if (!name.isWellFormed()) return "must be well-formed text";
  if (controlCharacters.test(name)) return "must not contain control characters or line breaks";
  if (name.includes("}}") || name.endsWith("}")) return "must not contain `}}` or end with `}`";
  if (name.includes("#/")) return "must not contain `#/`, which begins a JSON pointer";
  if (sliceEnding.test(name)) return "must not end like a slice (`:3` or `:3:5`)";
  return undefined;
}

/** The part of a kept result's name that comes from its tool. */
export function resultNameBase(tool: string): string {
  if (isPlainName(tool, 100)) return tool;
  return tool.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 100) || "tool";
}

const maxDigits = 15;

/** What the name of a kept result, its alias or its arguments says. */
export interface ResultName {
  /** `{tool}_{n}` */
  readonly result: string;
  readonly tool: string;
  readonly n: number;
  readonly part: "result" | "args";
}

/** The `n` at a name's end, after its last `_`. */
export function resultNumber(name: string): number | undefined {
  let n = 0;
  let unit = 1;
  for (let at = name.length - 1; at > 0; at--) {
    const digit = name.charCodeAt(at) - 0x30;
    if (digit >= 0 && digit <= 9 && unit < 10 ** maxDigits) n += digit * unit;
    else return digit === underscore && unit > 1 ? n : undefined;
    unit *= 10;
  }
  return undefined;
}

const underscore = 0x5f - 0x30;

/**
 * Reads `ListFiles_3`, `ListFiles_3_result` or `ListFiles_3_args`.
 *
 * @example resultNameOf("ListFiles_3_args") // { result: "ListFiles_3", tool: "ListFiles", n: 3, part: "args" }
 */
export function resultNameOf(name: string): ResultName | undefined {
  const part = name.endsWith("_args") ? "args" : "result";
  const result =
    part === "args" || name.endsWith("_result") ? name.slice(0, name.lastIndexOf("_")) : name;
  const at = result.lastIndexOf("_");
  const digits = result.length - at - 1;
  if (at < 1 || digits < 1 || digits > maxDigits) return undefined;
  for (let i = at + 1; i < result.length; i++) {
    const code = result.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return undefined;
  }
  return { result, tool: result.slice(0, at), n: Number(result.slice(at + 1)), part };
}

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
