import { isPlainName } from "../base/id.ts";

/** The maximum characters of a variable's name. */
export const maxNameLength = 200;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const sliceEnding = /:\d+$/;

/**
 * Returns why a name is invalid, or undefined if it is valid. A name is rejected if a reference to
 * it would be ambiguous: `$VAR_REF{{name:3:5}}`, `$VAR_REF{{name#/pointer}}`, or an early `}}`.
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

/** Returns the part of a stored result's name that comes from its tool. */
export function resultNameBase(tool: string): string {
  if (isPlainName(tool, 100)) return tool;
  return tool.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 100) || "tool";
}

/** The parts of a name of a stored result, its alias or its arguments. */
export interface ResultName {
  /** `{tool}_{n}` */
  readonly result: string;
  readonly tool: string;
  readonly n: number;
  readonly part: "result" | "args";
}

const resultName = /^((.+)_(\d{1,15}))(?:_result|(_args))?$/s;

/**
 * Reads `ListFiles_3`, `ListFiles_3_result` or `ListFiles_3_args`.
 *
 * @example resultNameOf("ListFiles_3_args") // { result: "ListFiles_3", tool: "ListFiles", n: 3, part: "args" }
 */
export function resultNameOf(name: string): ResultName | undefined {
  const [, result, tool, n, args] = resultName.exec(name) ?? [];
  if (result === undefined || tool === undefined) return undefined;
  return { result, tool, n: Number(n), part: args === undefined ? "result" : "args" };
}

/** The maximum number of reserved names; the oldest are dropped. */
const remembered = 1000;

/** Names the results of a session: `{tool}_{n}`, where `n` counts all results. */
export class ResultNames {
  readonly #isTaken: (name: string) => boolean;
  #count = 0;
  /** Names that are reserved for results that do not exist yet, the oldest first. */
  #reserved = new Set<string>();
  /** Whether some variable has a name that a result could get. If not, no name is looked up. */
  #lookAlikes = false;

  constructor(isTaken: (name: string) => boolean) {
    this.#isTaken = isTaken;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the next name, which is unique. */
  next(tool: string): string {
    const base = resultNameBase(tool);
    for (;;) {
      this.#count += 1;
      const name = `${base}_${this.#count}`;
      if (!this.#lookAlikes || this.#isFree(name)) return name;
    }
  }

  reserve(tool: string): string {
    const name = this.next(tool);
    this.#reserved.add(name);
    if (this.#reserved.size > remembered) {
      const [oldest = ""] = this.#reserved;
      this.#reserved.delete(oldest);
    }
    return name;
  }

  /** Whether `reserve` returned this name and no result has used it yet. */
  isReserved(name: string): boolean {
    return this.#reserved.has(name);
  }

  /**
   * Returns the name of a new result: the reserved name, or the next one if there is none or if a
   * variable has the name.
   */
  given(name: string | undefined, tool: string): string {
    if (name === undefined) return this.next(tool);
    if (this.#reserved.delete(name)) {
      if (!this.#lookAlikes) return name;
    } else if (resultNameOf(name)?.result !== name || variableNameProblem(name) !== undefined)
      return this.next(tool);
    if (!this.#isFree(name)) return this.next(tool);
    this.continueAfter(name);
    return name;
  }

  /** Continues the count after the number in this name. */
  continueAfter(last: string): void {
    this.#count = Math.max(this.#count, resultNameOf(last)?.n ?? 0);
  }

  /** Records the name of a new variable that is not a result. */
  notice(name: string): void {
    this.#lookAlikes ||= resultNameOf(name) !== undefined;
  }

  /** Continues the count of another session. */
  continue(other: ResultNames): void {
    this.#count = other.#count;
    this.#reserved = new Set(other.#reserved);
    this.#lookAlikes = other.#lookAlikes;
  }

  /** A result also uses the names of its two parts. */
  #isFree(name: string): boolean {
    return ![name, `${name}_args`, `${name}_result`].some((one) => this.#isTaken(one));
  }
}
