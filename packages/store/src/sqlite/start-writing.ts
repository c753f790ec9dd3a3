import type { Leftover } from "../records/readings.ts";
import { sqlite } from "../sql/dialect.ts";
import type { Sql } from "./sql.ts";
import { LostJournals } from "../decide/state/lost-journals.ts";
import { RunStates } from "../decide/state/run-states.ts";
import { SqliteChanges } from "./sqlite-changes.ts";
import { TailTrim } from "./tail-trim.ts";
import type { Writing } from "../decide/state/decision.ts";

/** Writing to SQLite, with the connection that it goes to. */
export interface SqliteWriting extends Writing {
  readonly sql: Sql;
  readonly changes: SqliteChanges;
  readonly runs: RunStates;
  readonly trim: TailTrim;
}

/** Prepares a connection for writing. */
export function startWriting(sql: Sql): {
  readonly writing: SqliteWriting;
  readonly leftovers: readonly Leftover[];
} {
  const runs = new RunStates(sqlite);
  const trim = new TailTrim(() => runs.all());
  const { going, ended } = sql.script(runs.recover());
  trim.add(ended);
  trim.settle();
  const leftovers = going.map(({ id, lastSeq, open }) => ({
    runId: id,
    lastSeq,
    items: open.map(({ itemId, head }) => ({ itemId, head })),
  }));
  const row = sql.get<{ next: number }>("SELECT COALESCE(MAX(n), 0) + 1 AS next FROM tail");
  const changes = new SqliteChanges(sql);
  changes.clearLog();
  return {
    writing: {
      dialect: sqlite,
      sql,
      changes,
      runs,
      lost: new LostJournals(),
      node: null,
      trim,
      nextTail: row?.next ?? 1,
    },
    leftovers,
  };
}
