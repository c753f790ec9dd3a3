import type { Message, Tool } from "@capstan/core";
import type { ScriptedStep } from "@capstan/core/testing";
import type { Column } from "./column.ts";

/** A conversation that every column runs: the same words and the same tools, and a model that does what the column lets it do. */
export interface Workload {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** The model uses the shipped text tool on values that it only knows by name. */
  readonly textTool?: boolean;
  readonly turns: readonly Turn[];
}

export interface Turn {
  readonly user: string;
  /** @param before what the model is shown of the turns before */
  readonly steps: (column: Column, before: readonly Message[]) => readonly ScriptedStep[];
}

/** A tool of a workload: it reads, and is not asked about. */
export const plain = { effects: "read", permission: { executionPolicy: "auto" } } as const;
