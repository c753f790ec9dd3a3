import type { RunStatus } from "@capstan/contract";
import { isClosing } from "../../records/run-status.ts";
import { severalEvents } from "../../encode/event-layout.ts";
import { type EventRange, type EventRow, endBySize, eventsOf } from "../../read/read-events.ts";
import type { EventPage } from "../../records/records.ts";
import { all, type Script } from "../../sql/script.ts";
import type { TailDelta } from "../../read/tail.ts";

interface PageQuery extends EventRange {
  readonly owner: string;
  readonly runId: string;
}

/** A row of a run's journal, one of the tail, or nothing but the run. */
interface PageRow {
  /** Of which query. */
  readonly i: number;
  readonly status: RunStatus;
  /** The last number that was read of what was asked for; null: all of it. */
  readonly cut: number | null;
  readonly part: "row" | "delta" | null;
  readonly seq: number;
  readonly type: string;
  readonly cuts: string | null;
  readonly events: string;
}

// LIMIT 1 has each run looked up by its id, however few runs there were when this was planned.
const selectPages = `SELECT q.i, r.status, cut.seq AS cut, e.part, e.seq, e.type, e.cuts, e.events
  FROM unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[]) AS q (i, id, owner, after, asked, size)
  CROSS JOIN LATERAL (
    SELECT n, status FROM runs WHERE id = q.id AND owner = q.owner LIMIT 1
  ) AS r
  LEFT JOIN LATERAL (${endBySize("q.size", "r.n", "q.after", "q.asked")}) AS cut ON TRUE
  CROSS JOIN LATERAL (SELECT COALESCE(cut.seq, q.asked) AS up_to) AS until
  LEFT JOIN LATERAL (
    SELECT 'row' AS part, seq, type, cuts, events FROM run_journal
      WHERE run_n = r.n AND seq > q.after AND seq <= until.up_to AND events IS NOT NULL
    UNION ALL SELECT 'row', seq, type, cuts, events FROM run_journal
      WHERE run_n = r.n AND from_seq <= until.up_to AND seq > until.up_to
    UNION ALL (SELECT 'row', seq, type, cuts, events FROM run_journal
      WHERE run_n = r.n AND seq > until.up_to AND type = '${severalEvents}' ORDER BY seq LIMIT 1)
    UNION ALL SELECT 'delta', seq, item_id, NULL, delta FROM tail
      WHERE run_n = r.n AND seq > q.after AND seq <= until.up_to
  ) AS e ON TRUE`;

/**
 * Pages of the events of several runs in one statement, which sees one moment: a commit of another
 * node moves many runs, and tells who follows them all at once.
 */
export function* readEventPages(
  queries: readonly PageQuery[],
): Script<readonly (EventPage | undefined)[]> {
  const rows = yield* all<PageRow>(
    selectPages,
    queries.map((_, index) => index),
    queries.map(({ runId }) => runId),
    queries.map(({ owner }) => owner),
    queries.map(({ after }) => after),
    queries.map(({ after, limit }) => after + limit),
    queries.map(({ size = null }) => size),
  );
  const found = Map.groupBy(rows, ({ i }) => i);
  return queries.map((query, index) => pageOf(query, found.get(index) ?? []));
}

function pageOf(query: PageQuery, rows: readonly PageRow[]): EventPage | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const stored: EventRow[] = [];
  const tail: TailDelta[] = [];
  for (const { part, seq, type, cuts, events } of rows) {
    if (part === "row") stored.push({ seq, type, cuts, events });
    if (part === "delta") tail.push({ seq, itemId: type, delta: JSON.parse(events) as string });
  }
  const { after, limit, size } = query;
  const { cut, status } = first;
  const upTo = cut ?? after + limit;
  const range = { after, upTo, ...(size !== undefined && { last: Infinity }) };
  const events = eventsOf(stored, tail, range);
  return { events, full: cut !== null || events.length >= limit, ended: isClosing(status) };
}
