import type { Dialect } from "../dialect.ts";
import type { Changes } from "./changes.ts";
import type { LostJournals } from "./lost-journals.ts";
import type { RunStates } from "./run-states.ts";

/** What the functions that apply a write work with. */
export interface Writing {
  readonly dialect: Dialect;
  readonly changes: Changes;
  readonly runs: RunStates;
  readonly lost: LostJournals;
  /** Who claims; null where there is one process. */
  readonly node: string | null;
  /** The tail's next row. Never used twice in a process, so that a reader's row cannot become another's. */
  nextTail: number;
}
