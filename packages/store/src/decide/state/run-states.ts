import type { RunStatus } from "@capstan/contract";
import { type CutText, detachedDeltas } from "../../encode/event-layout.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, type Script, together } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

/** An unfinished item. */
export interface OpenItem {
  readonly itemId: string;
  /** The tail's row of its newest delta. */
  readonly head: number;
  /**
   * The first row of the tail that can belong to the item, and the number of the item's rows. Only
   * SQLite uses them.
   */
  readonly first: number;
  readonly rows: number;
  /** The item's deltas, if they are short and this process wrote all of them. */
  readonly cached: CutText | undefined;
}

/** The cached state of a run. */
export interface RunState {
  readonly n: number;
  readonly id: string;
  readonly owner: string;
  readonly sessionId: string;
  readonly conversationId: string | null;
  readonly epoch: number;
  readonly status: RunStatus;
  /** In ms since the epoch. */
  readonly createdAt: number;
  /** How often the run was changed from outside the loop. */
  readonly edits: number;
  /** The number of answers that arrived since the claim while the run was not waiting. */
  readonly answers: number;
  readonly lastSeq: number;
  /**
   * The number of the latest rows without events, and the number of the last event before these
   * rows.
   */
  readonly nth: number;
  /** The number of its rows in `run_variables`. */
  readonly variables: number;
  /**
   * Its changes of variables, one text per commit, if they are short and this process wrote all of
   * them.
   */
  readonly changes: readonly string[] | undefined;
  readonly baseManifest: string | null;
  readonly manifest: string | null;
  /** Only items with deltas in the tail. */
  readonly open: readonly OpenItem[];
}

/**
 * The cache of runs that are being written. A rollback of the database undoes its changes, too.
 * Between two batches it has only runs in progress.
 */
export class RunStates {
  readonly #states = new Map<string, RunState>();
  #undo: { readonly id: string; readonly previous: RunState | undefined }[] = [];
  readonly #database: Dialect["name"];

  constructor(database: Dialect["name"]) {
    this.#database = database;
  }

  /** Returns a run that the batch names. Other runs are possibly not cached. */
  get(id: string): RunState | undefined {
    return this.#states.get(id);
  }

  /** All cached runs. */
  all(): Iterable<RunState> {
    return this.#states.values();
  }

  set(state: RunState): void {
    this.#undo.push({ id: state.id, previous: this.#states.get(state.id) });
    this.#states.set(state.id, state);
  }

  drop(id: string): void {
    this.#undo.push({ id, previous: this.#states.get(id) });
    this.#states.delete(id);
  }

  /** Undoes all changes since the last commit. */
  rollback(): void {
    for (const { id, previous } of this.#undo.splice(0).toReversed()) {
      if (previous === undefined) this.#states.delete(id);
      else this.#states.set(id, previous);
    }
  }

  /**
   * Discards the undo log after a commit, and evicts runs that are not in progress.
   *
   * @param own the runs that this node continues to write; omitted if there is only one process
   */
  commit(own?: ReadonlySet<string>): void {
    for (const { id } of this.#undo)
      if (own?.has(id) === false || this.#states.get(id)?.status !== "in_progress")
        this.#states.delete(id);
    this.#undo = [];
  }

  /** Evicts all runs, because their state can be stale. */
  clear(): void {
    this.#undo = [];
    this.#states.clear();
  }

  /**
   * Evicts the given runs that another node has changed.
   *
   * @param rows their rows in the database
   * @returns the runs to load again
   */
  evictStale(ids: ReadonlySet<string>, rows: readonly LockedRunRow[]): ReadonlySet<string> {
    const stored = new Map(rows.map((row) => [row.id, row]));
    const unknown = new Set<string>();
    for (const id of ids) {
      const state = this.#states.get(id);
      const row = stored.get(id);
      if (isSame(row, state)) continue;
      this.#states.delete(id);
      if (row !== undefined) unknown.add(id);
    }
    return unknown;
  }

  /** Loads the given runs that are not cached. */
  *load(ids: ReadonlySet<string>): Script<void> {
    const unknown = [...ids].filter((id) => !this.#states.has(id));
    if (unknown.length === 0) return;
    for (const state of yield* readStates(this.#database, unknown)) this.set(state);
  }

  /**
   * Finds the rows that a crash left in SQLite's tail, by a scan of the whole table.
   *
   * @returns the runs with unfinished items, and the number of rows of items that have ended
   */
  *recover(): Script<{ readonly active: readonly RunState[]; readonly ended: number }> {
    const heads = yield* all(findTailHeads);
    const rows = heads.filter(({ ended }) => ended === 0);
    yield* this.load(new Set(rows.map((row) => row.id)));
    for (const { id, item_id: itemId, seq, head, first, rows: count } of rows) {
      const state = this.#states.get(id);
      if (state === undefined) continue;
      const open = [...state.open, { itemId, head, first, rows: count, cached: undefined }];
      this.set({ ...state, open, lastSeq: Math.max(state.lastSeq, seq) });
    }
    this.#undo = [];
    const ended = heads.reduce((sum, head) => sum + (head.ended === 1 ? head.rows : 0), 0);
    return { active: [...this.#states.values()], ended };
  }
}

/** The columns of a locked run that show whether another node has changed it. */
const comparedColumns = ["n", "owner", "epoch", "status", "edits", "answers"] as const;

/** The columns of a locked run's row. */
export type LockedRunRow = Pick<RunState, "id" | (typeof comparedColumns)[number]>;

function isSame(row: LockedRunRow | undefined, state: RunState | undefined): boolean {
  return comparedColumns.every((column) => row?.[column] === state?.[column]);
}

const countOf = (column: string, table: string) =>
  `(SELECT COALESCE(MAX(t.${column}), 0) FROM ${table} t WHERE t.run_n = r.n)`;

type StoredState = Omit<RunState, "open" | "changes">;

const findStates = statement<StoredState>(
  { reads: ["runs", "run_journal", "run_variables", "tail"] },
  ({
    anyOf,
  }) => `SELECT r.n, r.id, r.owner, r.session_id AS "sessionId", r.conversation_id AS "conversationId", r.epoch, r.status, r.created_at AS "createdAt", r.edits, r.answers,
       ${countOf("seq", "stored_seqs")} AS "lastSeq", ${countOf("n", "run_variables")} AS variables,
       COALESCE((SELECT nth FROM run_journal WHERE run_n = r.n ORDER BY seq DESC, nth DESC LIMIT 1), 0) AS nth,
       r.base_manifest AS "baseManifest", r.manifest
     FROM runs r WHERE r.id ${anyOf}`,
);

const findOpenItems = statement<{ run_n: number; item_id: string }>(
  { reads: ["tail", "runs"] },
  ({ anyOf }) =>
    `SELECT DISTINCT t.run_n, t.item_id FROM tail t JOIN runs r ON r.n = t.run_n WHERE r.id ${anyOf}`,
);

/** An item with rows in SQLite's tail. */
interface TailHead {
  readonly id: string;
  readonly item_id: string;
  /** Its newest row. */
  readonly head: number;
  /** Its oldest row, and the number of rows. */
  readonly first: number;
  readonly rows: number;
  readonly seq: number;
  /**
   * Whether the item's rows await removal: it is stored in its final form, or its run was deleted.
   */
  readonly ended: 0 | 1;
}

// A single scan, because SQLite's tail has no index.
const findTailHeads = statement<TailHead>(
  { reads: ["tail", "runs", "run_journal"] },
  {
    sqlite: `WITH heads AS (
       SELECT run_n, item_id, MAX(n) AS head, MIN(n) AS first, COUNT(*) AS rows, MAX(seq) AS seq FROM tail GROUP BY run_n, item_id
     )
     SELECT COALESCE(r.id, '') AS id, h.item_id, h.head, h.first, h.rows, h.seq, r.id IS NULL OR EXISTS (
       SELECT 1 FROM run_journal e WHERE e.run_n = h.run_n AND e.seq >= h.seq AND e.from_seq <= h.seq
         AND e.type IN ('item.end', '${detachedDeltas}')
         AND CASE WHEN json_valid(e.events) THEN json_extract(e.events, '$.itemId') END = h.item_id
     ) AS ended
     FROM heads h LEFT JOIN runs r ON r.n = h.run_n`,
  },
);

function* readStates(
  database: Dialect["name"],
  ids: readonly string[],
): Script<readonly RunState[]> {
  // SQLite's only writer has cached all open items since its start.
  if (database === "sqlite") return (yield* all(findStates, ids)).map((row) => stateOf(row, []));
  const [rows, tail] = yield* together([all(findStates, ids), all(findOpenItems, ids)]);
  const ofRun = Map.groupBy(tail, (item) => item.run_n);
  return rows.map((row) => {
    const items = ofRun.get(row.n) ?? [];
    const open = items.map(({ item_id: itemId }) => ({
      itemId,
      head: 0,
      first: 0,
      rows: 0,
      cached: undefined,
    }));
    return stateOf(row, open);
  });
}

function stateOf(row: StoredState, open: readonly OpenItem[]): RunState {
  return { ...row, open, changes: row.variables === 0 ? [] : undefined };
}
