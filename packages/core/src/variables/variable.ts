import type { JsonValue } from "../base/json.ts";

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

/** A change to a session's variables, for whoever keeps them. */
export type VariableChange =
  | { readonly type: "set"; readonly variable: Variable }
  | {
      readonly type: "removed";
      readonly name: string;
      /** `evicted`: to make room; a reference then names the call to repeat. */
      readonly reason: "evicted" | "removed";
    };
