import type { Dialect } from "../../sql/dialect.ts";
import type { Changes } from "../../sql/changes.ts";
import type { LostJournals } from "./lost-journals.ts";
import type { RunStates } from "./run-states.ts";
import type { TailTrim } from "../../sqlite/tail-trim.ts";

/** What the functions that apply a write work with. */
export interface Writing {
  readonly dialect: Dialect;
  readonly changes: Changes;
  readonly runs: Pick<RunStates, "get" | "set" | "drop">;
  readonly lost: LostJournals;
  /** Who claims; null where there is one process. */
  readonly node: string | null;
  /** What is to be taken out of the tail later; null where that is done at once. */
  readonly trim: TailTrim | null;
  /** The tail's next row. Never used twice in a process, so that a reader's row cannot become another's. */
  nextTail: number;
}
