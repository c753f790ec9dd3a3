import type { Clock } from "../base/clock.ts";
import type { ToolErrorData } from "../base/errors.ts";
import type { Variable, VariableInfo, VariableType, VariableValue } from "./variable.ts";

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

/** A variable that was there, and is no more. */
export interface GoneVariable {
  readonly name: string;
  readonly reason: "evicted" | "removed";
}

export interface LoadOptions {
  /** Names that are known to be there no more, and why. */
  readonly gone?: readonly GoneVariable[];
  /** They are needed now: they are evicted as late as what this turn made. @default false */
  readonly inUse?: boolean;
}

/** Reads what was evicted from where it is kept; undefined where it is not to be had. */
export type VariableSource = (name: string) => Promise<Variable | undefined>;
