import { all, first, type Script } from "../../sql/script.ts";
import { type SqlStatement, statement } from "../../sql/statement.ts";

const setting = (name: string, value: number): SqlStatement =>
  statement(
    {},
    { sqlite: `INSERT INTO search_words (search_words, rank) VALUES ('${name}', ${value})` },
  );

/** The structure of the full-text index, which each merge changes, without the settings counter. */
const findStructure = statement<{ structure: string }>(
  {},
  { sqlite: "SELECT hex(substr(block, 5)) AS structure FROM search_words_data WHERE id = 10" },
);

/**
 * By default, SQLite merges segments with deleted rows during later commits, which then take 200
 * ms. Therefore automatic merging is off (0), and each step merges 16 pages.
 */
const step = [setting("deletemerge", 30), setting("merge", 16), setting("deletemerge", 0)];

/**
 * Removes deleted rows from SQLite's full-text index, a few pages at a time.
 *
 * @returns whether there may be more to remove
 */
export function* mergeWords(): Script<boolean> {
  const before = yield* first(findStructure);
  for (const each of step) yield* all(each);
  const after = yield* first(findStructure);
  return before?.structure !== after?.structure;
}
