import type { RunVariables } from "../records/read-results.ts";
import type { VariableValue } from "@capstan/core/host";
import { manifestOf, type ManifestSource, readManifestEntries } from "./manifest.ts";
import type { Manifest } from "../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findRunVariables = statement<ManifestSource>(
  { reads: ["runs"] },
  "SELECT n, session_id, base_manifest, manifest FROM runs WHERE id = ? AND owner = ?",
);

const findValue = statement<CheckedRow & { value: string }>(
  { reads: ["variable_values"] },
  (dialect) =>
    `SELECT value, ${isIntact(dialect, "variable_values", "v")} AS is_intact FROM variable_values v
     WHERE owner = ? AND digest = ? LIMIT 1`,
);

/** Returns the variables of a run by name. */
export function* readManifest(query: {
  owner: string;
  runId: string;
}): Script<Manifest | undefined> {
  const run = yield* findSource(query);
  return run === undefined ? undefined : manifestOf(yield* readManifestEntries(run));
}

function* findSource(query: { owner: string; runId: string }): Script<ManifestSource | undefined> {
  return yield* first(findRunVariables, query.runId, query.owner);
}

/** Returns a variable's value by its digest. */
export function* readValue(query: {
  owner: string;
  digest: string;
}): Script<VariableValue | undefined> {
  const row = yield* first(findValue, query.owner, query.digest);
  if (row === undefined) return undefined;
  requireIntact("variable_values", row);
  return JSON.parse(row.value) as VariableValue;
}

/**
 * The number of bytes of values that are read at once: receiving more from another thread would
 * block this thread.
 */
const maxBytes = 1_048_576;

/**
 * The number of values that one statement reads. Each other number would need a separate statement
 * and plan.
 */
const valuesPerStatement = 32;

/**
 * Finds values by their whole key. Many sessions can have the same value, and with only a part of
 * the key PostgreSQL would read the rows of all of them.
 */
const findValues = statement<{ digest: string | null; value: string | null }>(
  { reads: ["variable_values"] },
  (dialect) => `SELECT d.column1 AS digest,
    (SELECT CASE WHEN ${isIntact(dialect, "variable_values", "v")} = 1 THEN v.value END
     FROM variable_values v WHERE v.owner = ? AND v.session_id = ? AND v.digest = d.column1) AS value
  FROM (VALUES ${Array.from({ length: valuesPerStatement }, () => "(?)").join(", ")}) AS d`,
);

/**
 * Reads all variables of a run, with small values. A large value is read when it is needed, because
 * reading many megabytes would delay each continuation of a conversation.
 */
export function* readVariables(query: {
  owner: string;
  runId: string;
}): Script<RunVariables | undefined> {
  const run = yield* findSource(query);
  if (run === undefined) return undefined;
  const manifest = manifestOf(yield* readManifestEntries(run));
  const digests = smallDigests(manifest);
  const values: { [digest: string]: VariableValue } = {};
  const corrupt: string[] = [];
  for (let from = 0; from < digests.length; from += valuesPerStatement) {
    const some = digests.slice(from, from + valuesPerStatement);
    const padding = Array.from({ length: valuesPerStatement - some.length }, () => null);
    const rows = yield* all(findValues, query.owner, run.session_id, ...some, ...padding);
    for (const { digest, value } of rows)
      if (digest !== null && value !== null) values[digest] = JSON.parse(value) as VariableValue;
      else if (digest !== null) corrupt.push(digest);
  }
  return { manifest, values, corrupt };
}

/** Returns the digests of the smallest values. */
function smallDigests(manifest: Manifest): readonly string[] {
  const digests = new Set<string>();
  let sum = 0;
  const bySize = Object.values(manifest).toSorted((a, b) => a.bytes - b.bytes);
  for (const { digest, bytes, evicted, removed } of bySize) {
    if (digest === undefined || digests.has(digest)) continue;
    if (evicted === true || removed === true) continue;
    if (sum + bytes > maxBytes) break;
    sum += bytes;
    digests.add(digest);
  }
  return [...digests];
}
