import type { Sql } from "../sql.ts";
import type { RunStates } from "./run-states.ts";

/** What the functions that apply a write work with. */
export interface Writing {
  readonly sql: Sql;
  readonly runs: RunStates;
  /** The next row of the tail. Never used twice in a process, so that a reader's row cannot become another's. */
  nextTail: number;
  /** Something left quarantine, and the write-ahead log may still have it. */
  wiped: boolean;
}
