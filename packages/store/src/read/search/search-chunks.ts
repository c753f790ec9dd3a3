import type { JsonObject } from "@capstan/core";
import { type StoredChunk, wholeStore } from "../../records/search.ts";
import { type CheckedRow, isIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

interface ChunkRow extends CheckedRow {
  readonly n: number;
  readonly file_id: string;
  readonly position: number;
  readonly place: string;
  readonly text: string;
  readonly words: string;
}

const selectChunks = (dialect: Dialect) =>
  `SELECT c.n, c.file_id, c.position, c.place, c.text, c.words, ${isIntact(dialect, "search_chunks", "c")} AS is_intact`;

/** A condition that is false for parts whose index is not complete, or was replaced or deleted. */
const isVisible = (chunk: string) =>
  `NOT EXISTS (SELECT 1 FROM hidden_chunks h WHERE h.store_id = ${chunk}.store_id
    AND h.file_id = ${chunk}.file_id AND ${chunk}.version BETWEEN h.from_version AND h.to_version)`;

/** A condition that is false for parts of a deleted store. */
const isOfStore = (chunk: string) =>
  `NOT EXISTS (SELECT 1 FROM hidden_chunks d WHERE d.store_id = ${chunk}.store_id AND d.file_id = '${wholeStore}')`;

const tables = { reads: ["search_chunks", "hidden_chunks"] } as const;

/**
 * Each part of a store also has the store's word, so both indexes find only parts of one store. The
 * cross join keeps SQLite from reading all parts of the store first.
 */
const find = (some: boolean) =>
  statement<ChunkRow>(tables, (dialect) =>
    dialect.name === "sqlite"
      ? `${selectChunks(dialect)} FROM (SELECT rowid AS id, rank AS nth FROM search_words
            WHERE search_words MATCH ? AND EXISTS (SELECT 1 FROM search_chunks s
              WHERE s.n = search_words.rowid AND ${isVisible("s")})${some ? ` AND rowid IN (SELECT n FROM search_chunks WHERE file_id ${dialect.anyOf})` : ""}
            ORDER BY rank LIMIT ?) w
          CROSS JOIN search_chunks c ON c.n = w.id WHERE c.store_id = ? AND c.owner = ? AND ${isOfStore("c")} ORDER BY w.nth`
      : `${selectChunks(dialect)} FROM (SELECT s.n AS id, ts_rank(s.lexemes, q, 1) AS nth
            FROM search_chunks s, to_tsquery('simple', replace(replace(?, ' OR ', ' | '), ' AND ', ' & ')) q
            WHERE s.lexemes @@ q AND ${isVisible("s")}${some ? ` AND s.file_id ${dialect.anyOf}` : ""}
            ORDER BY nth DESC, s.n LIMIT CAST(? AS BIGINT)) w
          JOIN search_chunks c ON c.n = w.id WHERE c.store_id = ? AND c.owner = ? AND ${isOfStore("c")} ORDER BY w.nth DESC, c.n`,
  );

const findIn = { all: find(false), some: find(true) };

const findChunks = statement<ChunkRow>(
  tables,
  (dialect) =>
    `${selectChunks(dialect)} FROM search_chunks c WHERE c.n ${dialect.anyOf} AND c.owner = ?
      AND ${isVisible("c")} AND ${isOfStore("c")}`,
);

const findOfFile = statement<ChunkRow>(
  tables,
  (dialect) => `${selectChunks(dialect)} FROM search_chunks c
    WHERE c.store_id = ? AND c.file_id = ? AND c.owner = ?
      AND ${isVisible("c")} AND ${isOfStore("c")} ORDER BY c.position`,
);

const findVectors = statement<{ n: number; file_id: string; vector: string }>(
  tables,
  (dialect) => `SELECT c.n, c.file_id, c.vector FROM search_chunks c
    WHERE c.store_id = ? AND c.file_id ${dialect.anyOf} AND c.owner = ? AND c.vector IS NOT NULL
      AND ${isVisible("c")} AND ${isOfStore("c")}`,
);

/** Returns the word that all parts of a store have in the full-text index. */
export function storeWord(storeId: string): string {
  return `s${storeId.toLowerCase().replaceAll(/[^a-z0-9]/g, "")}`;
}

/**
 * Returns the parts of a store that have at least one of the words, the most relevant first.
 *
 * @param query.words words in their indexed form, `[a-z0-9]+`
 * @param query.fileIds only parts of these files. @default all files
 */
export function* searchChunks(query: {
  readonly owner: string;
  readonly storeId: string;
  readonly words: readonly string[];
  readonly fileIds?: readonly string[];
  readonly limit: number;
}): Script<readonly StoredChunk[]> {
  const { owner, storeId, words, fileIds, limit } = query;
  const safe = words.filter((word) => /^[a-z0-9]+$/.test(word));
  if (safe.length === 0) return [];
  const match = `${storeWord(storeId)} AND (${safe.join(" OR ")})`;
  const rows =
    fileIds === undefined
      ? yield* all(findIn.all, match, limit, storeId, owner)
      : yield* all(findIn.some, match, fileIds, limit, storeId, owner);
  return rows.flatMap(storedChunk);
}

/** Returns the parts with these numbers that still exist, in no particular order. */
export function* readChunks({
  owner,
  ns,
}: {
  readonly owner: string;
  readonly ns: readonly number[];
}): Script<readonly StoredChunk[]> {
  return (yield* all(findChunks, ns, owner)).flatMap(storedChunk);
}

/** Returns the parts of an indexed file, in order. */
export function* readStoreFile({
  owner,
  storeId,
  fileId,
}: {
  readonly owner: string;
  readonly storeId: string;
  readonly fileId: string;
}): Script<readonly StoredChunk[]> {
  return (yield* all(findOfFile, storeId, fileId, owner)).flatMap(storedChunk);
}

/** Returns the vectors of files of a store. */
export function* readVectors({
  owner,
  storeId,
  fileIds,
}: {
  readonly owner: string;
  readonly storeId: string;
  readonly fileIds: readonly string[];
}): Script<readonly { readonly n: number; readonly fileId: string; readonly vector: string }[]> {
  const rows = yield* all(findVectors, storeId, fileIds, owner);
  return rows.map(({ n, file_id: fileId, vector }) => ({ n, fileId, vector }));
}

/** A corrupt part is left out: the others can still be found. */
function storedChunk(row: ChunkRow): readonly StoredChunk[] {
  if (row.is_intact !== 1) return [];
  const { n, file_id: fileId, position, place, text, words } = row;
  return [{ n, fileId, position, place: JSON.parse(place) as JsonObject, text, words }];
}
