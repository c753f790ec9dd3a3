import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findReferenced = statement<{ sha256: string }>(
  { reads: ["run_blobs"] },
  ({ anyOf }) => `SELECT DISTINCT sha256 FROM run_blobs WHERE sha256 ${anyOf}`,
);

/** Returns those of the given blobs that runs refer to. */
export function* referencedBlobs(hashes: readonly string[]): Script<ReadonlySet<string>> {
  const rows = yield* all(findReferenced, hashes);
  return new Set(rows.map(({ sha256 }) => sha256));
}
