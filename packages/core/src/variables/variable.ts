import type { JsonValue } from "../base/json.ts";
import type { Clock } from "../base/clock.ts";
import type { ToolErrorData } from "../base/errors.ts";

/** The source of a variable: the host, a call, a user's message, the model or a user. */
export type VariableType =
  | "RULE"
  | "ToolCallResult"
  | "ToolCallArgs"
  | "MessageCache"
  | "LLMAdd"
  | "USER_ADD";

/**
 * A variable's value. Users and models read `text`; references to the full value and JSON pointers
 * use `data`.
 */
export interface VariableValue {
  readonly text: string;
  /** Absent if the value is its text. */
  readonly data?: JsonValue;
}

/** A variable's information without its value. */
export interface VariableInfo {
  readonly name: string;
  readonly type: VariableType;
  readonly desc?: string;
  readonly tags: readonly string[];
  /** Never evicted. */
  readonly keep: boolean;
  /** Characters of the text. */
  readonly length: number;
  /** UTF-8 bytes of the value. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly updated: number;
  readonly lastVisited: number;
  readonly referenceCount: number;
}

/** A variable with its value. */
export interface Variable extends VariableInfo {
  readonly value: VariableValue;
}

/** A variable to load. Without a value, the value is read from the source when it is needed. */
export interface LoadedVariable extends VariableInfo {
  readonly value?: VariableValue;
}

/** SHA-256 digests of variables by their names. */
export interface VariableDigests {
  readonly [name: string]: string;
}

/** A change to a session's variables, for code that stores them. */
export type VariableChange =
  | { readonly type: "set"; readonly variable: Variable }
  | {
      readonly type: "removed";
      readonly name: string;
      /** `evicted`: to make room; the error of a later reference names the call to repeat. */
      readonly reason: "evicted" | "removed";
    };

/** The options of `VariableSystem`. */
export interface VariableSystemOptions {
  /**
   * The maximum number of variables; rules and a result's arguments are not counted. @default 1000
   */
  readonly capacity?: number;
  /** UTF-8 bytes of all values except rules. @default 256 MiB */
  readonly maxBytes?: number;
  /** UTF-8 bytes of one value. @default 64 MiB */
  readonly maxValueBytes?: number;
  readonly clock?: Clock;
}

/** The stored variable, or the error of invalid input. */
export type SetOutcome =
  | { readonly status: "set"; readonly variable: VariableInfo }
  | { readonly status: "refused"; readonly error: ToolErrorData };

/** The fields to change in a variable. */
export interface VariablePatch {
  readonly value?: VariableValue | string;
  readonly type?: VariableType;
  readonly desc?: string;
  readonly tags?: readonly string[];
  readonly keep?: boolean;
}

/** The conditions of a list of variables; all must match. */
export interface VariableFilter {
  readonly type?: VariableType;
  readonly tag?: string;
  /** Contained in the name or the description, in any case. */
  readonly search?: string;
}

/** The removed names, and the names that could not be removed. */
export interface RemoveOutcome {
  readonly removed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/** The options of `keepResult`. */
export interface KeepOptions {
  readonly desc?: string;
  /** The name from `nameResult`; the next name if it is in use or omitted. */
  readonly name?: string | undefined;
  /** Milliseconds since the epoch. @default now */
  readonly at?: number;
}

/** The names of a stored result: `{tool}_{n}` and `{tool}_{n}_args`. */
export interface KeptResult {
  readonly result: string;
  readonly args: string;
  /**
   * Why the value was not stored: it is too large, or there is no room besides the kept variables.
   * The errors of later references state this too.
   */
  readonly refused?: ToolErrorData;
}

/** A stored variable that could not be loaded. */
export interface RefusedVariable {
  readonly name: string;
  readonly error: ToolErrorData;
}

/** A variable that no longer exists, with the reason. */
export interface GoneVariable {
  readonly name: string;
  readonly reason: "evicted" | "removed" | "corrupt";
}

/** The options of `VariableSystem.load`. */
export interface LoadOptions {
  /** The names of variables that no longer exist, with the reasons. */
  readonly gone?: readonly GoneVariable[];
  /**
   * True: the variables are in use. They are evicted as late as variables that this turn created.
   * @default false
   */
  readonly inUse?: boolean;
}

/**
 * Reads an evicted variable, or one that was loaded without its value, from the store. Returns
 * `undefined` if the store does not have it, and "corrupt" if its stored value is corrupt.
 */
export type VariableSource = (name: string) => Promise<Variable | "corrupt" | undefined>;
