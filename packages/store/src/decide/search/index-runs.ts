import { ownerWord } from "../../read/search/search-conversations.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

type IndexRuns = Extract<StoreWrite, { type: "index-runs" }>;

/** The lock keeps another node from deleting the runs before this commit. */
const lockRuns = statement<{ id: string; n: number }>(
  { reads: ["runs"] },
  ({ anyOf, lock }) =>
    `SELECT id, n FROM runs WHERE id ${anyOf} AND owner = ? AND ended_at IS NOT NULL ORDER BY n${lock("runs")}`,
);

/**
 * Stores the words of ended runs; others are left out. The messages of an ended run no longer
 * change, so stored words are not replaced.
 */
export function* indexRuns(
  { changes }: WriteContext,
  { owner, runs }: IndexRuns,
): Script<OutcomeOf<IndexRuns>> {
  const words = new Map(runs.map((run) => [run.id, run.words]));
  for (const { id, n } of yield* all(lockRuns, [...words.keys()], owner))
    changes.insert("run_words", {
      run_n: n,
      owner,
      words: [ownerWord(owner), ...(words.get(id) ?? [])].join(" "),
    });
  return { status: "indexed" };
}
