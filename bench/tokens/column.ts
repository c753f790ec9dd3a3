import type { HistoryMode } from "@capstan/core";

/** A way to run the same conversation. */
export interface Column {
  readonly name: string;
  /** How earlier turns are shown to the model. */
  readonly history: HistoryMode;
  /** Long results are cut for the model. */
  readonly cut: boolean;
  /** Results are kept as variables, and what the model must know for that is in its prompt. */
  readonly variables: boolean;
  /** The model passes values on by reference instead of writing them out. */
  readonly references: boolean;
}

export const columns: readonly Column[] = [
  { name: "native", history: "full", cut: false, variables: false, references: false },
  { name: "truncation only", history: "full", cut: true, variables: false, references: false },
  { name: "log", history: "log", cut: true, variables: true, references: false },
  { name: "log and references", history: "log", cut: true, variables: true, references: true },
];
