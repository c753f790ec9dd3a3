import { createHash } from "node:crypto";
import type { Variable, VariableChange } from "@capstan/core";
import {
  type ManifestChange,
  type ManifestSource,
  manifestOf,
  readManifestEntries,
} from "../manifest.ts";
import type { ManifestEntry } from "../records.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import type { Writing } from "./writing.ts";

interface VariablesOwner extends ManifestSource {
  readonly owner: string;
}

/** Keeps a change beside the run until it ends. */
export function writeVariable(
  { sql }: Writing,
  run: { readonly n: number; readonly owner: string; readonly sessionId: string },
  change: VariableChange,
): void {
  const name = change.type === "set" ? change.variable.name : change.name;
  const kept = changeOf(sql, run, change);
  sql.run(
    `INSERT INTO run_variables (run_n, n, owner, name, entry)
     SELECT ?, COALESCE(MAX(n), 0) + 1, ?, ?, ? FROM run_variables WHERE run_n = ?`,
    run.n,
    run.owner,
    name,
    kept === null ? null : JSON.stringify(kept),
    run.n,
  );
}

/** The digest of a run's variables as they are, stored as a manifest where that is new. */
export function currentManifest({ sql }: Writing, run: VariablesOwner): string | null {
  const changed = sql.get("SELECT 1 FROM run_variables WHERE run_n = ?", run.n) !== undefined;
  if (!changed) return run.manifest ?? run.base_manifest;
  const entries = JSON.stringify(manifestOf(readManifestEntries(sql, run)));
  const digest = digestOf(entries);
  sql.run(
    "INSERT INTO manifests (session_id, digest, owner, entries) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    run.session_id,
    digest,
    run.owner,
    entries,
  );
  return digest;
}

/** Turns what changed into the run's own manifest. */
export function foldVariables(writing: Writing, runN: number): void {
  const run = writing.sql.get<VariablesOwner>(
    "SELECT n, owner, session_id, base_manifest, manifest FROM runs WHERE n = ?",
    runN,
  );
  if (run === undefined) return;
  writing.sql.run("UPDATE runs SET manifest = ? WHERE n = ?", currentManifest(writing, run), runN);
  writing.sql.run("DELETE FROM run_variables WHERE run_n = ?", runN);
}

type EditVariables = Extract<StoreWrite, { type: "edit-variables" }>;

export function editVariables(writing: Writing, write: EditVariables): OutcomeOf<EditVariables> {
  const row = writing.sql.get<{ n: number; session_id: string; ended_at: number | null }>(
    "SELECT n, session_id, ended_at FROM runs WHERE id = ? AND owner = ?",
    write.runId,
    write.owner,
  );
  if (row === undefined) return { status: "not_found" };
  const run = { n: row.n, owner: write.owner, sessionId: row.session_id };
  for (const change of write.changes) writeVariable(writing, run, change);
  if (row.ended_at !== null) foldVariables(writing, row.n);
  return { status: "edited" };
}

/** What was only evicted from memory stays: with a store nothing needs to be forgotten. */
function changeOf(
  sql: Writing["sql"],
  run: { readonly owner: string; readonly sessionId: string },
  change: VariableChange,
): ManifestChange | null {
  if (change.type === "set") return keepValue(sql, run, change.variable);
  return change.reason === "evicted" ? { evicted: true } : null;
}

function keepValue(
  sql: Writing["sql"],
  run: { readonly owner: string; readonly sessionId: string },
  variable: Variable,
): ManifestEntry {
  const { value, ...info } = variable;
  const json = JSON.stringify(value);
  const digest = digestOf(json);
  sql.run(
    `INSERT INTO variable_values (owner, digest, session_id, bytes, value) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    run.owner,
    digest,
    run.sessionId,
    variable.bytes,
    json,
  );
  return { ...info, digest };
}

function digestOf(json: string): string {
  return createHash("sha256").update(json).digest("hex");
}
