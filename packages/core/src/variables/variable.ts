import type { JsonValue } from "../base/json.ts";
import type { Clock } from "../base/clock.ts";
import type { ToolErrorData } from "../base/errors.ts";

export type VariableType =
  | "RULE"
  | "ToolCallResult"
  | "ToolCallArgs"
  | "MessageCache"
  | "LLMAdd"
  | "USER_ADD";

/** What a variable holds. `text` is what people and models read; `data` what whole references and pointers take. */
export interface VariableValue {
  readonly text: string;
  /** Absent where the value is its text. */
  readonly data?: JsonValue;
}

/** What is known of a variable without reading its value. */
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

export interface Variable extends VariableInfo {
  readonly value: VariableValue;
}

/** SHA-256 digests of variables by their names. */
export interface VariableDigests {
  readonly [name: string]: string;
}

/** A change to a session's variables, for whoever keeps them. */
export type VariableChange =
  | { readonly type: "set"; readonly variable: Variable }
  | {
      readonly type: "removed";
      readonly name: string;
      /** `evicted`: to make room; a reference then names the call to repeat. */
      readonly reason: "evicted" | "removed";
    };

export interface VariableSystemOptions {
  /** Variables at most; rules and a result's arguments are not counted. @default 1000 */
  readonly capacity?: number;
  /** UTF-8 bytes of all values but rules. @default 256 MiB */
  readonly maxBytes?: number;
  /** UTF-8 bytes of one value. @default 64 MiB */
  readonly maxValueBytes?: number;
  readonly clock?: Clock;
}

export type SetOutcome =
  | { readonly status: "set"; readonly variable: VariableInfo }
  | { readonly status: "refused"; readonly error: ToolErrorData };

export interface VariablePatch {
  readonly value?: VariableValue | string;
  readonly type?: VariableType;
  readonly desc?: string;
  readonly tags?: readonly string[];
  readonly keep?: boolean;
}

export interface VariableFilter {
  readonly type?: VariableType;
  readonly tag?: string;
  /** Contained in the name or the description, in any case. */
  readonly search?: string;
}

export interface RemoveOutcome {
  readonly removed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

export interface KeepOptions {
  readonly desc?: string;
  /** What `nameResult` gave; the next name where it is taken or not given. */
  readonly name?: string | undefined;
  /** Milliseconds since the epoch. @default now */
  readonly at?: number;
}

/** The names of a kept result: `{tool}_{n}` and `{tool}_{n}_args`. */
export interface KeptResult {
  readonly result: string;
  readonly args: string;
  /** Why the value is not there: too large, or no room beside what is kept. References say so too. */
  readonly refused?: ToolErrorData;
}

export interface RefusedVariable {
  readonly name: string;
  readonly error: ToolErrorData;
}

interface GoneVariable {
  readonly name: string;
  readonly reason: "evicted" | "removed" | "damaged";
}

export interface LoadOptions {
  /** Names that are known to be there no more, and why. */
  readonly gone?: readonly GoneVariable[];
  /** They are needed now: they are evicted as late as what this turn made. @default false */
  readonly inUse?: boolean;
}

/** Reads what was evicted from where it is kept; undefined where it is not to be had. */
export type VariableSource = (name: string) => Promise<Variable | undefined>;
