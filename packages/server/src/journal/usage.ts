import type { Lineage } from "./lineage.ts";
import { all, first, type Script } from "./script.ts";

/** What takes room, as people tell it apart. */
export type UsageKind = "events" | "messages" | "calls" | "variables" | "other";

/** What a user has in the store. Bytes are those of the texts: a database needs some more for its order. */
export interface Usage {
  readonly owner: string;
  readonly conversations: number;
  readonly runs: number;
  readonly bytes: number;
  readonly byKind: { readonly [kind in UsageKind]: number };
}

interface SizedTable {
  readonly kind: UsageKind;
  readonly table: string;
  /** Texts that may be long. */
  readonly columns: readonly string[];
  /** What its rows belong to, beside their owner. */
  readonly of: "run" | "session" | "conversation" | "owner";
}

const sized: readonly SizedTable[] = [
  { kind: "events", table: "run_events", columns: ["data", "cuts"], of: "run" },
  // Of runs that go on: no lineage with one is taken away.
  { kind: "events", table: "tail", columns: ["delta"], of: "owner" },
  { kind: "messages", table: "run_requests", columns: ["request", "input"], of: "run" },
  { kind: "messages", table: "run_messages", columns: ["message"], of: "run" },
  { kind: "messages", table: "run_results", columns: ["result"], of: "run" },
  { kind: "messages", table: "items", columns: ["item"], of: "run" },
  { kind: "calls", table: "run_calls", columns: ["record"], of: "run" },
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

/** The bytes of columns, which neither database has to read for it. */
export function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `COALESCE(octet_length(${column}), 0)`).join(" + ");
}

/** What every user has, by name. What was forgotten and is not deleted yet still takes room. */
export function* everyUsage(): Script<Usage[]> {
  const users = new Map<string, { -readonly [key in keyof Usage]: Usage[key] }>();
  const userOf = (owner: string) => {
    const known = users.get(owner);
    if (known !== undefined) return known;
    const byKind = { events: 0, messages: 0, calls: 0, variables: 0, other: 0 };
    const user = { owner, conversations: 0, runs: 0, bytes: 0, byKind };
    users.set(owner, user);
    return user;
  };
  for (const { owner, count } of yield* counts("conversations"))
    userOf(owner).conversations = count;
  for (const { owner, count } of yield* counts("runs"))
    if (owner !== "") userOf(owner).runs = count;
  for (const { kind, table, columns } of sized) {
    const rows = yield* all<{ owner: string; bytes: number }>(
      `SELECT owner, CAST(SUM(${bytesOf(columns)}) AS BIGINT) AS bytes FROM ${table} GROUP BY owner`,
    );
    for (const { owner, bytes } of rows) {
      const user = userOf(owner);
      user.bytes += bytes;
      user.byKind = { ...user.byKind, [kind]: user.byKind[kind] + bytes };
    }
  }
  return [...users.values()].toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
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

function counts(table: "conversations" | "runs") {
  return all<{ owner: string; count: number }>(
    `SELECT owner, COUNT(*) AS count FROM ${table} GROUP BY owner`,
  );
}
