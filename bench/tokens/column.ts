import type { HistoryMode } from "@capstan/core";

/** A way to run the same conversation. */
export interface Column {
  readonly name: string;
  /** The form in which the model reads earlier turns. */
  readonly history: HistoryMode;
  /** Whether long results are truncated for the model. */
  readonly cut: boolean;
  /** Whether results are stored as variables, which the prompt explains to the model. */
  readonly variables: boolean;
  /** Whether the model passes values by reference instead of repeating them. */
  readonly references: boolean;
}

export const columns: readonly Column[] = [
  { name: "native", history: "full", cut: false, variables: false, references: false },
  { name: "truncation only", history: "full", cut: true, variables: false, references: false },
  { name: "log", history: "log", cut: true, variables: true, references: false },
  { name: "log and references", history: "log", cut: true, variables: true, references: true },
];
