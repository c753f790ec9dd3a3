import { createHash } from "node:crypto";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

/** A run of a conversation with words that a search looks for. */
export interface FoundRun {
  readonly runId: string;
  readonly conversationId: string;
}

interface FoundRow {
  readonly id: string;
  readonly conversation_id: string;
}

const isOfUser = "r.owner = ? AND r.conversation_id IS NOT NULL";

/** The cross join keeps SQLite from reading all runs of the user first. */
const find = statement<FoundRow>({ reads: ["run_words", "runs"] }, ({ name }) =>
  name === "sqlite"
    ? `SELECT r.id, r.conversation_id FROM (SELECT rowid AS n FROM run_words_index
         WHERE run_words_index MATCH ? ORDER BY rowid DESC LIMIT ?) i
       CROSS JOIN run_words w ON w.run_n = i.n
       CROSS JOIN runs r ON r.n = i.n AND r.owner = w.owner WHERE ${isOfUser} ORDER BY r.n DESC`
    : `SELECT r.id, r.conversation_id FROM (SELECT w.run_n AS n FROM run_words w,
         to_tsquery('simple', replace(replace(?, ' AND ', ' & '), '*', ':*')) q
         WHERE w.lexemes @@ q ORDER BY w.run_n DESC LIMIT CAST(? AS BIGINT)) w
       JOIN runs r ON r.n = w.n WHERE ${isOfUser} ORDER BY r.n DESC`,
);

const findUnindexed = statement<{ id: string }>(
  { reads: ["run_words", "runs"] },
  `SELECT r.id FROM runs r WHERE ${isOfUser} AND r.ended_at IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM run_words w WHERE w.run_n = r.n) ORDER BY r.n DESC LIMIT ?`,
);

/** Returns the word that all runs of a user have in the full-text index. */
export function ownerWord(owner: string): string {
  return `o${createHash("sha256").update(owner).digest("hex").slice(0, 32)}`;
}

/**
 * Returns the runs of a user's conversations that have all of the words, newest first.
 *
 * @param query.words words in their indexed form, `[a-z0-9]+`
 * @param query.start the start of a further word
 */
export function* searchConversations(query: {
  readonly owner: string;
  readonly words: readonly string[];
  readonly start?: string;
  readonly limit: number;
}): Script<readonly FoundRun[]> {
  const { owner, words, start, limit } = query;
  const safe = [...words, ...(start === undefined ? [] : [start])].filter((word) =>
    /^[a-z0-9]+$/.test(word),
  );
  if (safe.length === 0) return [];
  const every = [ownerWord(owner), ...safe].join(" AND ");
  const match = start === undefined ? every : `${every}*`;
  const rows = yield* all(find, match, limit, owner);
  return rows.map((row) => ({ runId: row.id, conversationId: row.conversation_id }));
}

/** Returns the ended runs of a user's conversations whose words are not stored yet, newest first. */
export function* listUnindexedRuns(query: {
  readonly owner: string;
  readonly limit: number;
}): Script<readonly string[]> {
  const rows = yield* all(findUnindexed, query.owner, query.limit);
  return rows.map(({ id }) => id);
}
