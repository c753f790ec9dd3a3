import type { RunEvent, RunStatus } from "@capstan/contract";
import { isClosing } from "../records/run-status.ts";
import {
  type Delta,
  decodeCuts,
  eventsIn,
  severalEvents,
  detachedDeltas,
} from "../encode/event-layout.ts";
import type { UnnumberedEvent, CompactEvents, EventPage } from "../records/records.ts";
import type { PublishedPosition } from "../records/read-results.ts";
import type { PageQuery } from "./page-cache.ts";
import { type CheckedRow, isIntact, orCorrupt, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, first, type Script, together } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { readTail, type TailDelta } from "./tail.ts";

/** A run with its key in the tables that belong to it. */
export interface RunKey {
  readonly n: number;
  readonly status: RunStatus;
  readonly ended_at: number | null;
}

/** Returns the key of a run, or undefined if this owner has no such run. */
export function* findRunKey(query: { owner: string; runId: string }): Script<RunKey | undefined> {
  const run = yield* first(findKey, query.runId, query.owner);
  if (run !== undefined) requireIntact("runs", run);
  return run;
}

const findKey = statement<RunKey & CheckedRow>(
  { reads: ["runs"] },
  (dialect) =>
    `SELECT n, status, ended_at, ${isIntact(dialect, "runs", "r")} AS is_intact FROM runs r WHERE id = ? AND owner = ?`,
);

/** Longer rows are decoded on the reader's thread, in bytes. */
export const longBytes = 262_144;

/**
 * The longest row with events of a page: a row of the page, or a later row that contains earlier
 * deltas.
 */
const findLongestRow = statement<{ bytes: number | null }>(
  { reads: ["runs", "run_journal"] },
  `SELECT MAX(bytes) AS bytes FROM (
     SELECT octet_length(events) AS bytes FROM run_journal
       WHERE run_n = (SELECT n FROM runs WHERE id = ?) AND seq > ? AND seq <= ?
     UNION ALL SELECT octet_length(events) FROM run_journal
       WHERE run_n = (SELECT n FROM runs WHERE id = ?) AND from_seq <= ? AND seq > ?
   ) AS sized`,
);

/** Returns whether a page of events has a long row. Databases know its length without reading it. */
export function* isLongPage({ runId, after, limit }: PageQuery): Script<boolean> {
  const end = after + limit;
  const row = yield* first(findLongestRow, runId, after, end, runId, end, end);
  return (row?.bytes ?? 0) > longBytes;
}

/** A row of a run's journal with its events. */
interface EventRow extends CheckedRow {
  readonly seq: number;
  readonly type: string;
  readonly cuts: string | null;
  readonly events: string;
}

interface Detached {
  readonly itemId: string;
  readonly text: string;
}

const selectEvents = (dialect: Dialect) =>
  `SELECT seq, type, cuts, events, ${isIntact(dialect, "run_journal", "j")} AS is_intact FROM run_journal j`;

const findRange = statement<EventRow>(
  { reads: ["run_journal"] },
  (dialect) => `${selectEvents(dialect)} WHERE run_n = ? AND seq > ? AND seq <= ?
     AND ${orCorrupt(dialect, "events IS NOT NULL", "run_journal", "j")}
   UNION ALL ${selectEvents(dialect)} WHERE run_n = ? AND from_seq <= ? AND seq > ?
   UNION ALL SELECT * FROM (${selectEvents(dialect)} WHERE run_n = ? AND seq > ? AND type = '${severalEvents}'
     ORDER BY seq LIMIT 1) AS next`,
);

const findEndBySize = statement<{ seq: number }>(
  { reads: ["run_journal"] },
  // `seq` is the last row whose events still fit together with the earlier ones, or the first row
  // if even that row is too long. Returns no row if all rows fit.
  `SELECT COALESCE(MAX(seq) FILTER (WHERE bytes <= ?), MIN(seq)) AS seq FROM (
     SELECT seq, SUM(octet_length(events)) OVER (ORDER BY seq) AS bytes FROM run_journal
       WHERE run_n = ? AND seq > ? AND seq <= ? AND events IS NOT NULL
   ) AS sized HAVING MAX(bytes) > ?`,
);

const findAll = statement<EventRow>(
  { reads: ["run_journal"] },
  (dialect) => `${selectEvents(dialect)} WHERE run_n = ?
     AND ${orCorrupt(dialect, "events IS NOT NULL", "run_journal", "j")} ORDER BY seq`,
);

/**
 * For this long after a run's end its deltas are replayed as they were sent, so that readers can
 * reconnect.
 */
export const exactDeltasMs = 60 * 60 * 1_000;

/** The bytes of rows that are read together for a run with joined deltas. */
const joinedSize = 1_048_576;

/**
 * Reads the events of a range of numbers: numbers have no gap, so a page is a range. A row can have
 * several events of one commit, so the row after the range can contain events of the range. The
 * same is true of an item's end with its deltas, which can be far after the range. The deltas of an
 * unfinished item are in the tail.
 */
export function* readEventPage(query: {
  readonly owner: string;
  readonly runId: string;
  readonly after: number;
  readonly limit: number;
  /**
   * The maximum number of bytes of rows that are read together. Events of these rows that directly
   * follow the range are returned as well, so that the next read need not decode the deltas of a
   * long text again.
   * @default any
   */
  readonly size?: number;
  /** The published position; if absent, all stored events can be read. */
  readonly position: PublishedPosition | undefined;
  /**
   * In ms since the epoch. An hour after a run's end each of its items is replayed as one delta.
   */
  readonly now: number;
}): Script<EventPage | undefined> {
  const run = yield* findRunKey(query);
  if (run === undefined) return undefined;
  const { after, limit, position, now } = query;
  const isJoined = run.ended_at !== null && run.ended_at + exactDeltasMs <= now;
  const size = query.size ?? (isJoined ? joinedSize : undefined);
  // Joined deltas leave gaps in the numbers, so a page is not a range of numbers here.
  const end = isJoined ? Number.MAX_SAFE_INTEGER : Math.min(after + limit, endOf(run, position));
  const cut =
    size === undefined ? undefined : yield* first(findEndBySize, size, run.n, after, end, size);
  const upTo = cut?.seq ?? end;
  const items = position?.items;
  const inRange = all(findRange, run.n, after, upTo, run.n, upTo, upTo, run.n, upTo);
  const [rows, tail] =
    items?.length === 0
      ? [yield* inRange, []]
      : yield* together([inRange, readTail({ runN: run.n, after, upTo, items })]);
  requireIntact("run_journal", ...rows);
  const last = isJoined || size === undefined ? upTo : endOf(run, position);
  const events = eventsOf(rows, tail, { after, upTo, last, isJoined });
  const full = cut !== undefined || events.length >= limit;
  const given = isJoined ? events.slice(0, limit) : events;
  return { events: given, full, ended: isClosing(run.status) };
}

/**
 * Returns the events of a range from all rows that can contain them.
 *
 * @param range.last the number up to which consecutive events after the range are returned, too
 */
function eventsOf(
  rows: readonly EventRow[],
  tail: readonly TailDelta[],
  range: {
    readonly after: number;
    readonly upTo: number;
    readonly last: number;
    readonly isJoined: boolean;
  },
): RunEvent[] {
  const { after, upTo, last, isJoined } = range;
  const events = new Map<number, RunEvent>();
  // Stored deltas can remain in the tail for a while.
  for (const { itemId, ...delta } of tail) events.set(delta.seq, deltaEvent(itemId, delta));
  for (const row of rows)
    for (const event of isJoined ? joinDeltas(expand(row)) : expand(row))
      events.set(event.seq, event);
  const found = [...events.values()]
    .filter(({ seq }) => seq > after && seq <= last)
    .toSorted((a, b) => a.seq - b.seq);
  let end = found.findLastIndex(({ seq }) => seq <= upTo) + 1;
  for (let seq = upTo + 1; found[end]?.seq === seq; seq++) end++;
  return end === found.length ? found : found.slice(0, end);
}

/** Returns a run's events without deltas. */
export function* readEventsCompact(query: {
  readonly owner: string;
  readonly runId: string;
  readonly position: PublishedPosition | undefined;
}): Script<CompactEvents | undefined> {
  const run = yield* findRunKey(query);
  return run === undefined ? undefined : yield* compactEventsOf(run, query.position);
}

/** Reads the compact events of a known run. */
export function* compactEventsOf(
  run: RunKey,
  position: PublishedPosition | undefined,
): Script<CompactEvents> {
  const end = endOf(run, position);
  const [rows, tail] = yield* together([
    all(findAll, run.n),
    readTail({ runN: run.n, after: 0, upTo: end, items: position?.items }),
  ]);
  requireIntact("run_journal", ...rows);
  const newest = tail.reduce((seq, delta) => Math.max(seq, delta.seq), rows.at(-1)?.seq ?? 0);
  const lastSeq = position === undefined ? newest : Math.min(newest, end);
  const events: RunEvent[] = [];
  const pieces = new Map(tail.map((piece) => [piece.seq, piece]));
  const ended = new Set<string>();
  for (const row of rows) {
    if (row.seq <= lastSeq && row.type !== detachedDeltas) {
      for (const event of row.type === severalEvents ? eventsIn(row) : [eventOf(row)]) {
        if (event.type === "item.delta") continue;
        events.push(event);
        if (event.type === "item.end") ended.add(event.itemId);
      }
      continue;
    }
    // The item ended after the published position: its deltas until then.
    for (const event of expand(row))
      if (event.type === "item.delta" && event.seq <= lastSeq) pieces.set(event.seq, event);
  }
  const open = Map.groupBy(
    [...pieces.values()].filter((piece) => !ended.has(piece.itemId)),
    (piece) => piece.itemId,
  );
  for (const [itemId, deltas] of open) {
    const inOrder = deltas.toSorted((a, b) => a.seq - b.seq);
    const delta = inOrder.map((each) => each.delta).join("");
    events.push(deltaEvent(itemId, { seq: inOrder.at(-1)?.seq ?? 0, delta }));
  }
  return { lastSeq, events: events.toSorted((a, b) => a.seq - b.seq) };
}

/** Returns the last number that can be read. */
function endOf(
  run: { readonly status: RunStatus },
  position: PublishedPosition | undefined,
): number {
  return isClosing(run.status)
    ? Number.MAX_SAFE_INTEGER
    : (position?.lastSeq ?? Number.MAX_SAFE_INTEGER);
}

/** Returns the events of a row. */
function expand(row: EventRow): RunEvent[] {
  if (row.type === severalEvents) return eventsIn(row);
  if (row.type === detachedDeltas) {
    const { itemId, text } = JSON.parse(row.events) as Detached;
    return decodeCuts(row.cuts ?? "", text).map((delta) => deltaEvent(itemId, delta));
  }
  const event = eventOf(row);
  if (row.cuts === null || event.type !== "item.end") return [event];
  return [
    ...decodeCuts(row.cuts, event.text).map((delta) => deltaEvent(event.itemId, delta)),
    event,
  ];
}

/** Joins each item's deltas to one, under the number of the first. */
function joinDeltas(events: readonly RunEvent[]): RunEvent[] {
  const texts = new Map<string, string>();
  for (const event of events)
    if (event.type === "item.delta")
      texts.set(event.itemId, (texts.get(event.itemId) ?? "") + event.delta);
  return events.flatMap((event) => {
    if (event.type !== "item.delta") return event;
    const delta = texts.get(event.itemId);
    texts.delete(event.itemId);
    return delta === undefined ? [] : { ...event, delta };
  });
}

function eventOf(row: EventRow): RunEvent {
  return { seq: row.seq, ...(JSON.parse(row.events) as UnnumberedEvent) };
}

function deltaEvent(itemId: string, { seq, delta }: Delta): RunEvent {
  return { seq, type: "item.delta", itemId, delta };
}
