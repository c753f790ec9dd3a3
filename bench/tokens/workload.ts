import type { Message, Tool } from "@capstan/core";
import type { ScriptedStep } from "@capstan/core/testing";
import type { Column } from "./column.ts";

/**
 * A conversation that runs in every column with the same texts and tools. Its model uses the
 * features that the column permits.
 */
export interface Workload {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Whether the model uses the shipped text tool on values that it knows only by name. */
  readonly textTool?: boolean;
  readonly turns: readonly Turn[];
}

export interface Turn {
  readonly user: string;
  /** @param before the messages of earlier turns that the model reads */
  readonly steps: (column: Column, before: readonly Message[]) => readonly ScriptedStep[];
}

/** The settings of a workload's tools: they only read, and need no approval. */
export const plain = { effects: "read", permission: { executionPolicy: "auto" } } as const;
