import type { VariableValue } from "@capstan/core";
import { manifestOf, type ManifestSource, readManifestEntries } from "../manifest.ts";
import type { Manifest } from "../records.ts";
import { first, type Script } from "../script.ts";

export function* readManifest(query: {
  owner: string;
  runId: string;
}): Script<Manifest | undefined> {
  const run = yield* first<ManifestSource>(
    "SELECT n, session_id, base_manifest, manifest FROM runs WHERE id = ? AND owner = ?",
    query.runId,
    query.owner,
  );
  return run === undefined ? undefined : manifestOf(yield* readManifestEntries(run));
}

export function* readValue(query: {
  owner: string;
  digest: string;
}): Script<VariableValue | undefined> {
  const row = yield* first<{ value: string }>(
    "SELECT value FROM variable_values WHERE owner = ? AND digest = ? LIMIT 1",
    query.owner,
    query.digest,
  );
  return row === undefined ? undefined : (JSON.parse(row.value) as VariableValue);
}
