import { createHash } from "node:crypto";
import type { Variable, VariableChange } from "@capstan/core";
import { type ManifestChange, manifestOf, readManifestEntries } from "../manifest.ts";
import type { ManifestEntry } from "../records.ts";
import type { Script } from "../script.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import { isClosing } from "../../run/run-status.ts";
import type { RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/** Keeps a change beside the run until it ends. */
export function writeVariable(writing: Writing, run: RunState, change: VariableChange): RunState {
  const name = change.type === "set" ? change.variable.name : change.name;
  const kept = changeOf(writing, run, change);
  const n = run.variables + 1;
  const entry = kept === null ? null : JSON.stringify(kept);
  writing.changes.insert("run_variables", { run_n: run.n, n, owner: run.owner, name, entry });
  return { ...run, variables: n };
}

/** The digest of a run's variables as they are, stored as a manifest where that is new. */
export function* currentManifest(writing: Writing, run: RunState): Script<string | null> {
  if (run.variables === 0) return run.manifest ?? run.baseManifest;
  const source = {
    n: run.n,
    session_id: run.sessionId,
    base_manifest: run.baseManifest,
    manifest: run.manifest,
  };
  const entries = JSON.stringify(manifestOf(yield* readManifestEntries(source)));
  const digest = digestOf(entries);
  const row = { session_id: run.sessionId, digest, owner: run.owner, entries };
  writing.changes.insert("manifests", row);
  return digest;
}

/** Turns what changed into the run's own manifest. */
export function* foldVariables(writing: Writing, run: RunState): Script<RunState> {
  const manifest = yield* currentManifest(writing, run);
  if (manifest !== run.manifest)
    writing.changes.run("UPDATE runs SET manifest = ? WHERE n = ?", manifest, run.n);
  if (run.variables > 0) writing.changes.run("DELETE FROM run_variables WHERE run_n = ?", run.n);
  return { ...run, manifest, variables: 0 };
}

type EditVariables = Extract<StoreWrite, { type: "edit-variables" }>;

export function* editVariables(
  writing: Writing,
  write: EditVariables,
): Script<OutcomeOf<EditVariables>> {
  const before = writing.runs.get(write.runId);
  if (before === undefined || before.owner !== write.owner) return { status: "not_found" };
  // Another node may have the run in memory: it sees by this that there is more.
  let run: RunState = { ...before, edits: before.edits + 1 };
  writing.changes.run("UPDATE runs SET edits = ? WHERE n = ?", run.edits, run.n);
  for (const change of write.changes) run = writeVariable(writing, run, change);
  if (isClosing(run.status)) run = yield* foldVariables(writing, run);
  writing.runs.set(run);
  return { status: "edited" };
}

/** What was only evicted from memory stays: with a store nothing needs to be forgotten. */
function changeOf(writing: Writing, run: RunState, change: VariableChange): ManifestChange | null {
  if (change.type === "set") return keepValue(writing, run, change.variable);
  return change.reason === "evicted" ? { evicted: true } : null;
}

function keepValue({ changes }: Writing, run: RunState, variable: Variable): ManifestEntry {
  const { value, ...info } = variable;
  const json = JSON.stringify(value);
  const digest = digestOf(json);
  changes.insert("variable_values", {
    owner: run.owner,
    digest,
    session_id: run.sessionId,
    bytes: variable.bytes,
    value: json,
  });
  return { ...info, digest };
}

function digestOf(json: string): string {
  return createHash("sha256").update(json).digest("hex");
}
