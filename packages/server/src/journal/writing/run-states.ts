import type { RunStatus } from "../../contract/run.ts";
import type { Sql } from "../sql.ts";

/** An item under way, and the tail's row of its newest delta. */
export interface OpenItem {
  readonly itemId: string;
  readonly head: number;
}

/** What the writer knows of a run without asking the database. */
export interface RunState {
  readonly n: number;
  readonly id: string;
  readonly owner: string;
  readonly sessionId: string;
  readonly epoch: number;
  readonly status: RunStatus;
  readonly lastSeq: number;
  /** Only those with deltas in the tail. */
  readonly open: readonly OpenItem[];
}

/** A position in the undo log. */
type Mark = number;

/**
 * The runs that are being written, kept in memory as the tail has no index; whatever is rolled
 * back in the database is undone here too. A run that is not in progress is not kept: it has
 * nothing open, and is read again when it is written again.
 */
export class RunStates {
  readonly #states = new Map<string, RunState>();
  #undo: { readonly id: string; readonly previous: RunState | undefined }[] = [];
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(id: string): RunState | undefined {
    return this.#states.get(id) ?? readState(this.#sql, id);
  }

  set(state: RunState): void {
    this.#undo.push({ id: state.id, previous: this.#states.get(state.id) });
    if (state.status === "in_progress") this.#states.set(state.id, state);
    else this.#states.delete(state.id);
  }

  drop(id: string): void {
    this.#undo.push({ id, previous: this.#states.get(id) });
    this.#states.delete(id);
  }

  mark(): Mark {
    return this.#undo.length;
  }

  rollback(to: Mark): void {
    for (const { id, previous } of this.#undo.splice(to).toReversed()) {
      if (previous === undefined) this.#states.delete(id);
      else this.#states.set(id, previous);
    }
  }

  /** What was written is durable: nothing to undo. */
  settle(): void {
    this.#undo = [];
  }

  /** Finds what a crash left in the tail, by the one scan that it gets. */
  recover(): readonly RunState[] {
    const rows = this.#sql.all<{ id: string; item_id: string; head: number; seq: number }>(
      `SELECT r.id, t.item_id, MAX(t.n) AS head, MAX(t.seq) AS seq FROM tail t JOIN runs r ON r.n = t.run_n
       GROUP BY r.id, t.item_id`,
    );
    for (const row of rows) {
      const state = this.get(row.id);
      if (state === undefined) continue;
      const open = [...state.open, { itemId: row.item_id, head: row.head }];
      this.#states.set(row.id, { ...state, open, lastSeq: Math.max(state.lastSeq, row.seq) });
    }
    return [...this.#states.values()];
  }
}

function readState(sql: Sql, id: string): RunState | undefined {
  const row = sql.get<Omit<RunState, "open">>(
    `SELECT n, id, owner, session_id AS "sessionId", epoch, status,
       (SELECT COALESCE(MAX(seq), 0) FROM run_events WHERE run_n = n) AS "lastSeq"
     FROM runs WHERE id = ?`,
    id,
  );
  return row === undefined ? undefined : { ...row, open: [] };
}
