import { createHash } from "node:crypto";
import { type EncodedChanges, withDigest } from "../../encode/variable-changes.ts";
import { manifestOf, readChanges, readManifestEntries } from "../../read/manifest.ts";
import type { Script } from "../../sql/script.ts";
import type { EncodedEdit } from "../../encode/run-commit.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { isClosing } from "../../records/run-status.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/**
 * A run's changes are cached up to this many characters, so that they need not be read when it
 * ends.
 */
const maxCached = 65_536;

/**
 * Stores a commit's changes of variables in separate rows until the run ends.
 *
 * @param ends whether the run ends with this commit: then the changes go directly into the manifest
 */
export function* writeChanges(
  context: WriteContext,
  run: RunState,
  some: readonly EncodedChanges[],
  ends: boolean,
): Script<RunState> {
  if (some.length === 0) return run;
  const text = `[${some.map((each) => storedChanges(context, run, each)).join(",")}]`;
  if (ends) return { ...run, changes: [...(run.changes ?? (yield* readChanges(run.n))), text] };
  const changes = cacheIfSmall(run.changes, text);
  const n = run.variables + 1;
  context.changes.insert("run_variables", { run_n: run.n, n, owner: run.owner, changes: text });
  return { ...run, variables: n, changes };
}

function cacheIfSmall(
  before: readonly string[] | undefined,
  text: string,
): readonly string[] | undefined {
  const cached = before?.reduce((sum, { length }) => sum + length, text.length) ?? maxCached;
  return before === undefined || cached > maxCached ? undefined : [...before, text];
}

/** Returns the digest of a run's current variables, and stores their manifest if it is new. */
export function* currentManifest(context: WriteContext, run: RunState): Script<string | null> {
  const { changes } = run;
  if (changes?.length === 0) return run.manifest ?? run.baseManifest;
  const source = {
    n: run.n,
    session_id: run.sessionId,
    base_manifest: run.baseManifest,
    manifest: run.manifest,
    changes,
  };
  const entries = JSON.stringify(manifestOf(yield* readManifestEntries(source)));
  const digest = digestOf(entries);
  const row = { session_id: run.sessionId, digest, owner: run.owner, entries };
  context.changes.insert("manifests", row);
  return digest;
}

/** Folds the changes into the run's own manifest; the caller writes its digest to the run's row. */
export function* foldVariables(context: WriteContext, run: RunState): Script<RunState> {
  const manifest = yield* currentManifest(context, run);
  if (run.variables > 0) context.changes.remove("run_variables", { run_n: run.n });
  return { ...run, manifest, variables: 0, changes: [] };
}

/** Changes a run's variables from outside the loop. */
export function* editVariables(
  context: WriteContext,
  write: EncodedEdit,
): Script<OutcomeOf<Extract<StoreWrite, { type: "edit-variables" }>>> {
  const before = context.runs.get(write.runId);
  if (before === undefined || before.owner !== write.owner) return { status: "not_found" };
  // Another node can have the run in memory; this number tells it that the variables have changed.
  let run: RunState = { ...before, edits: before.edits + 1 };
  const ended = isClosing(run.status);
  run = yield* writeChanges(context, run, write.changes, ended);
  if (ended) run = yield* foldVariables(context, run);
  const { edits, manifest, n } = run;
  context.changes.update("runs", { n }, { edits, manifest });
  context.runs.set(run);
  return { status: "edited" };
}

/** Encodes changes for `changesIn`; a large value is stored under its digest. */
function storedChanges(
  { changes }: WriteContext,
  { owner, sessionId }: RunState,
  some: EncodedChanges,
): string {
  const { value } = some;
  if (value === undefined) return some.entries;
  const { digest = digestOf(value), bytes = Buffer.byteLength(value) } = some;
  changes.insert("variable_values", { owner, digest, session_id: sessionId, bytes, value });
  return withDigest(some, digest);
}

function digestOf(json: string): string {
  return createHash("sha256").update(json).digest("hex");
}

type ForgetVariables = Extract<StoreWrite, { type: "forget-variables" }>;

/** Deletes the changes of a run. Does not read these rows, because they are unreadable. */
export function forgetVariables(
  context: WriteContext,
  { runId, epoch }: ForgetVariables,
): OutcomeOf<ForgetVariables> {
  const run = context.runs.get(runId);
  if (run?.epoch !== epoch)
    return { status: "fenced", reason: `Run ${runId} is not claimed in epoch ${epoch}.` };
  const { n, baseManifest: manifest } = run;
  const edits = run.edits + 1;
  context.changes.update("runs", { n }, { edits, manifest });
  context.changes.remove("run_variables", { run_n: n });
  context.runs.set({ ...run, edits, manifest, variables: 0, changes: [] });
  return { status: "forgotten" };
}
