import type { VariableValue } from "@capstan/core";
import { manifestOf, type ManifestSource, readManifestEntries } from "../manifest.ts";
import type { Manifest } from "../records.ts";
import type { Sql } from "../sql.ts";

export function readManifest(
  sql: Sql,
  query: { owner: string; runId: string },
): Manifest | undefined {
  return sql.snapshot(() => {
    const run = sql.get<ManifestSource>(
      "SELECT n, session_id, base_manifest, manifest FROM runs WHERE id = ? AND owner = ?",
      query.runId,
      query.owner,
    );
    return run === undefined ? undefined : manifestOf(readManifestEntries(sql, run));
  });
}

export function readValue(
  sql: Sql,
  query: { owner: string; digest: string },
): VariableValue | undefined {
  const row = sql.get<{ value: string }>(
    "SELECT value FROM variable_values WHERE owner = ? AND digest = ? LIMIT 1",
    query.owner,
    query.digest,
  );
  return row === undefined ? undefined : (JSON.parse(row.value) as VariableValue);
}
