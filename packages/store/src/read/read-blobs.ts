import { all, type Script, together } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findReferenced = statement<{ sha256: string }>(
  { reads: ["run_blobs"] },
  ({ anyOf }) => `SELECT DISTINCT sha256 FROM run_blobs WHERE sha256 ${anyOf}`,
);

const findInFiles = statement<{ sha256: string }>(
  { reads: ["files"] },
  ({ anyOf }) => `SELECT DISTINCT sha256 FROM files WHERE sha256 ${anyOf}`,
);

const findInParts = statement<{ sha256: string }>(
  { reads: ["upload_parts"] },
  ({ anyOf }) => `SELECT DISTINCT sha256 FROM upload_parts WHERE sha256 ${anyOf}`,
);

/** Returns those of the given blobs that runs, files or parts of uploads refer to. */
export function* referencedBlobs(hashes: readonly string[]): Script<ReadonlySet<string>> {
  const found = yield* together([
    all(findReferenced, hashes),
    all(findInFiles, hashes),
    all(findInParts, hashes),
  ]);
  return new Set(found.flat().map(({ sha256 }) => sha256));
}
