import type { Usage, UsageKind, Lineage } from "../../records/read-results.ts";
import { forgottenOwner } from "./lineage.ts";

import { all, first, type Script } from "../../sql/script.ts";

interface SizedTable {
  readonly kind: UsageKind;
  readonly table: string;
  /** Texts that may be long. */
  readonly columns: readonly string[];
  /** What its rows belong to, beside their owner. */
  readonly of: "run" | "session" | "conversation" | "owner";
}

const sized: readonly SizedTable[] = [
  { kind: "events", table: "run_journal", columns: ["events", "cuts"], of: "run" },
  // Of runs that go on: no lineage with one is taken away.
  { kind: "events", table: "tail", columns: ["delta"], of: "owner" },
  { kind: "messages", table: "run_requests", columns: ["request", "input"], of: "run" },
  { kind: "messages", table: "run_journal", columns: ["messages"], of: "run" },
  { kind: "messages", table: "run_results", columns: ["result"], of: "run" },
  { kind: "messages", table: "items", columns: ["item"], of: "run" },
  { kind: "calls", table: "run_journal", columns: ["calls"], of: "run" },
  { kind: "calls", table: "client_outputs", columns: ["output"], of: "run" },
  { kind: "calls", table: "approvals", columns: ["request", "answer"], of: "run" },
  { kind: "calls", table: "quarantine", columns: ["data"], of: "run" },
  { kind: "variables", table: "run_variables", columns: ["changes"], of: "run" },
  { kind: "variables", table: "manifests", columns: ["entries"], of: "session" },
  { kind: "variables", table: "variable_values", columns: ["value"], of: "session" },
  {
    kind: "other",
    table: "conversations",
    columns: ["title", "metadata", "switches"],
    of: "conversation",
  },
  { kind: "other", table: "grants", columns: ["data"], of: "session" },
  { kind: "other", table: "overrides", columns: ["rule"], of: "owner" },
];

/** The texts of a row of a run's journal. */
export const journalTexts = ["events", "cuts", "messages", "calls"] as const;

/** The bytes of columns, which neither database has to read for it. */
export function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `COALESCE(octet_length(${column}), 0)`).join(" + ");
}

/** One thing that is counted, by user. */
interface Part {
  readonly of: "conversations" | "runs" | UsageKind;
  readonly table: string;
  readonly sum: string;
  /** Rows of runs are counted some runs at a time: who else reads waits for no more than that. */
  readonly inSlices: boolean;
}

const parts: readonly Part[] = [
  { of: "conversations", table: "conversations", sum: "COUNT(*)", inSlices: false },
  { of: "runs", table: "runs", sum: "COUNT(*)", inSlices: false },
  ...sized.map(({ kind, table, columns, of }) => ({
    of: kind,
    table,
    sum: `CAST(SUM(${bytesOf(columns)}) AS BIGINT)`,
    inSlices: of === "run",
  })),
];

/** Where counting goes on: which part, after which run. */
export interface UsageCursor {
  readonly part: number;
  readonly after: number;
}

export interface UsageSlice {
  readonly of: Part["of"];
  readonly rows: readonly { readonly owner: string; readonly sum: number }[];
  /** Undefined: that was the last. */
  readonly next: UsageCursor | undefined;
}

/** A slice of what every user has. What was forgotten and is not deleted yet still takes room. */
export function* usageSlice({
  part,
  after,
  runs = 100,
}: UsageCursor & { readonly runs?: number }): Script<UsageSlice | undefined> {
  const counted = parts[part];
  if (counted === undefined) return undefined;
  const { of, table, sum, inSlices } = counted;
  const last = inSlices
    ? yield* first<{ n: number }>(
        "SELECT n FROM runs WHERE n > ? ORDER BY n LIMIT 1 OFFSET ?",
        after,
        runs - 1,
      )
    : undefined;
  const some = inSlices ? " WHERE run_n > ? AND run_n <= ?" : "";
  const rows = yield* all<{ owner: string; sum: number }>(
    `SELECT owner, ${sum} AS sum FROM ${table}${some} GROUP BY owner`,
    ...(inSlices ? [after, last?.n ?? Number.MAX_SAFE_INTEGER] : []),
  );
  const next = last === undefined ? { part: part + 1, after: 0 } : { part, after: last.n };
  return { of, rows, next: next.part < parts.length ? next : undefined };
}

/** What every user has, by name. */
export async function readEveryUsage(
  read: (place: UsageCursor) => Promise<UsageSlice | undefined>,
): Promise<readonly Usage[]> {
  const users = new Map<string, Usage>();
  for (let place: UsageCursor | undefined = { part: 0, after: 0 }; place !== undefined;) {
    const slice = await read(place);
    if (slice === undefined) break;
    for (const { owner, sum } of slice.rows)
      // Runs that were forgotten are nobody's.
      if (owner !== forgottenOwner)
        users.set(owner, add(users.get(owner) ?? nothingOf(owner), slice.of, sum));
    place = slice.next;
  }
  return [...users.values()].toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
}

function nothingOf(owner: string): Usage {
  const byKind = { events: 0, messages: 0, calls: 0, variables: 0, other: 0 };
  return { owner, conversations: 0, runs: 0, bytes: 0, byKind };
}

function add(user: Usage, of: Part["of"], sum: number): Usage {
  if (of === "conversations" || of === "runs") return { ...user, [of]: user[of] + sum };
  const byKind = { ...user.byKind, [of]: user.byKind[of] + sum };
  return { ...user, bytes: user.bytes + sum, byKind };
}

/** What goes with a lineage that has ended, in bytes. */
export function* lineageBytes({
  conversations,
  sessions,
}: Pick<Lineage, "conversations" | "sessions">): Script<number> {
  let bytes = 0;
  for (const { table, columns, of } of sized) {
    if (of === "owner") continue;
    const sum = `SELECT CAST(COALESCE(SUM(${bytesOf(columns.map((column) => `t.${column}`))}), 0) AS BIGINT) AS bytes FROM ${table} t`;
    const [text, ids] =
      of === "conversation"
        ? [`${sum} WHERE t.id = ?`, conversations]
        : of === "session"
          ? [`${sum} WHERE t.session_id = ?`, sessions]
          : [`${sum} JOIN runs r ON r.n = t.run_n WHERE r.session_id = ?`, sessions];
    for (const id of ids) bytes += (yield* first<{ bytes: number }>(text, id))?.bytes ?? 0;
  }
  return bytes;
}
