import type { Usage, UsageKind, Lineage } from "../../records/read-results.ts";
import { forgottenOwner } from "./lineage.ts";
import type { TableName } from "../../sql/tables.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { type SqlStatement, statement } from "../../sql/statement.ts";

interface SizedTable {
  readonly kind: UsageKind;
  readonly table: TableName;
  /** Columns of texts that can be long. */
  readonly columns: readonly string[];
  /**
   * The object that the rows belong to, in addition to their owner. Rows of `thread` belong to a
   * conversation, but are not its own row.
   */
  readonly of: "run" | "session" | "conversation" | "thread" | "owner";
  /** A column with a number of bytes. @default the length of the texts */
  readonly size?: string;
}

const sized: readonly SizedTable[] = [
  { kind: "events", table: "run_journal", columns: ["events", "cuts"], of: "run" },
  // Deltas of runs in progress, whose lineage is never deleted.
  { kind: "events", table: "tail", columns: ["delta"], of: "owner" },
  {
    kind: "messages",
    table: "run_requests",
    columns: ["request", "input", "full_input"],
    of: "run",
  },
  { kind: "messages", table: "run_blobs", columns: [], size: "size", of: "run" },
  { kind: "messages", table: "run_journal", columns: ["messages"], of: "run" },
  { kind: "messages", table: "run_results", columns: ["result", "replay"], of: "run" },
  { kind: "messages", table: "items", columns: ["item"], of: "run" },
  { kind: "messages", table: "completions", columns: ["model", "metadata"], of: "run" },
  { kind: "messages", table: "run_words", columns: ["words"], of: "run" },
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
  { kind: "messages", table: "thread_objects", columns: ["data"], of: "thread" },
  { kind: "messages", table: "shares", columns: ["content"], of: "thread" },
  { kind: "other", table: "grants", columns: ["data"], of: "session" },
  { kind: "other", table: "overrides", columns: ["rule"], of: "owner" },
  { kind: "other", table: "agents", columns: ["agent"], of: "owner" },
  { kind: "other", table: "credentials", columns: ["sealed"], of: "owner" },
  { kind: "other", table: "webhook_messages", columns: ["event"], of: "owner" },
  { kind: "other", table: "request_keys", columns: ["response"], of: "owner" },
  { kind: "files", table: "search_objects", columns: ["data"], of: "owner" },
  { kind: "files", table: "hidden_chunks", columns: ["file_id"], of: "owner" },
  { kind: "files", table: "search_chunks", columns: ["text", "words", "vector"], of: "owner" },
  { kind: "files", table: "files", columns: [], size: "bytes", of: "owner" },
  { kind: "files", table: "upload_parts", columns: [], size: "bytes", of: "owner" },
];

/** The texts of a row of a run's journal. */
export const journalTexts = ["events", "cuts", "messages", "calls"] as const;

/**
 * Returns an SQL expression for the bytes of columns, which both databases compute without reading
 * the values.
 */
export function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `COALESCE(octet_length(${column}), 0)`).join(" + ");
}

/** A table to count, by user. */
interface Part {
  readonly of: "conversations" | "runs" | UsageKind;
  /** Rows of runs are counted a few runs at a time, so that other reads do not wait for long. */
  readonly inSlices: boolean;
  readonly sql: SqlStatement<{ readonly owner: string; readonly sum: number }>;
}

function part(of: Part["of"], table: TableName, sum: string, inSlices = false): Part {
  const some = inSlices ? " WHERE run_n > ? AND run_n <= ?" : "";
  const text = `SELECT owner, ${sum} AS sum FROM ${table}${some} GROUP BY owner`;
  return { of, inSlices, sql: statement({ reads: [table] }, text) };
}

const parts: readonly Part[] = [
  part("conversations", "conversations", "COUNT(*)"),
  part("runs", "runs", "COUNT(*)"),
  ...sized.map(({ kind, table, columns, size, of }) =>
    part(kind, table, `CAST(SUM(${size ?? bytesOf(columns)}) AS BIGINT)`, of === "run"),
  ),
];

const findSliceEnd = statement<{ n: number }>(
  { reads: ["runs"] },
  "SELECT n FROM runs WHERE n > ? ORDER BY n LIMIT 1 OFFSET ?",
);

/** The bytes of a lineage in each table, for one of its conversations or sessions. */
const lineageParts = sized.flatMap(({ table, columns, size, of }) => {
  if (of === "owner") return [];
  const perRow = size === undefined ? bytesOf(columns.map((column) => `t.${column}`)) : `t.${size}`;
  const sum = `SELECT CAST(COALESCE(SUM(${perRow}), 0) AS BIGINT) AS bytes FROM ${table} t`;
  const where = {
    conversation: "WHERE t.id = ?",
    thread: "WHERE t.conversation_id = ?",
    session: "WHERE t.session_id = ?",
    run: "JOIN runs r ON r.n = t.run_n WHERE r.session_id = ?",
  };
  const reads: readonly TableName[] = of === "run" ? [table, "runs"] : [table];
  return { of, sql: statement<{ bytes: number }>({ reads }, `${sum} ${where[of]}`) };
});

/** The position of an unfinished count: the table, and the run. */
export interface UsageCursor {
  readonly part: number;
  readonly after: number;
}

/** A part of the usage of all users. */
export interface UsageSlice {
  readonly of: Part["of"];
  readonly rows: readonly { readonly owner: string; readonly sum: number }[];
  /** Undefined after the last slice. */
  readonly next: UsageCursor | undefined;
}

/** Returns a slice of every user's usage. Forgotten data is included until it is deleted. */
export function* usageSlice({
  part: index,
  after,
  runs = 100,
}: UsageCursor & { readonly runs?: number }): Script<UsageSlice | undefined> {
  const counted = parts[index];
  if (counted === undefined) return undefined;
  const { of, sql, inSlices } = counted;
  const last = inSlices ? yield* first(findSliceEnd, after, runs - 1) : undefined;
  const rows = yield* all(sql, ...(inSlices ? [after, last?.n ?? Number.MAX_SAFE_INTEGER] : []));
  const next = last === undefined ? { part: index + 1, after: 0 } : { part: index, after: last.n };
  return { of, rows, next: next.part < parts.length ? next : undefined };
}

/** Returns every user's usage, by name. */
export async function readEveryUsage(
  read: (cursor: UsageCursor) => Promise<UsageSlice | undefined>,
): Promise<readonly Usage[]> {
  const users = new Map<string, Usage>();
  for (let cursor: UsageCursor | undefined = { part: 0, after: 0 }; cursor !== undefined;) {
    const slice = await read(cursor);
    if (slice === undefined) break;
    for (const { owner, sum } of slice.rows)
      // Forgotten runs have no user.
      if (owner !== forgottenOwner)
        users.set(owner, add(users.get(owner) ?? emptyUsage(owner), slice.of, sum));
    cursor = slice.next;
  }
  return [...users.values()].toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
}

function emptyUsage(owner: string): Usage {
  const byKind = { events: 0, messages: 0, calls: 0, variables: 0, files: 0, other: 0 };
  return { owner, conversations: 0, runs: 0, bytes: 0, byKind };
}

function add(user: Usage, of: Part["of"], sum: number): Usage {
  if (of === "conversations" || of === "runs") return { ...user, [of]: user[of] + sum };
  const byKind = { ...user.byKind, [of]: user.byKind[of] + sum };
  return { ...user, bytes: user.bytes + sum, byKind };
}

/** Returns the size of an ended lineage, in bytes. */
export function* lineageBytes({
  conversations,
  sessions,
}: Pick<Lineage, "conversations" | "sessions">): Script<number> {
  let bytes = 0;
  for (const { of, sql } of lineageParts)
    for (const id of of === "conversation" || of === "thread" ? conversations : sessions)
      bytes += (yield* first(sql, id))?.bytes ?? 0;
  return bytes;
}
