import { createHash } from "node:crypto";
import { encodeChanges, type EncodedChanges, withDigest } from "../../encode/variable-changes.ts";
import { manifestOf, readChanges, readManifestEntries } from "../../read/manifest.ts";
import type { Script } from "../../sql/script.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { isClosing } from "../../records/run-status.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/** Up to here, in characters, a run's changes are kept in memory, and need not be read back as it ends. */
const maxCached = 65_536;

/**
 * Keeps what a commit changed beside the run until it ends.
 *
 * @param ends with this commit: what is folded at once need not be stored before
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

/** The digest of a run's variables as they are, stored as a manifest where that is new. */
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

/** Turns what changed into the run's own manifest, which the caller writes to the run's row. */
export function* foldVariables(context: WriteContext, run: RunState): Script<RunState> {
  const manifest = yield* currentManifest(context, run);
  if (run.variables > 0) context.changes.remove("run_variables", { run_n: run.n });
  return { ...run, manifest, variables: 0, changes: [] };
}

type EditVariables = Extract<StoreWrite, { type: "edit-variables" }>;

export function* editVariables(
  context: WriteContext,
  write: EditVariables,
): Script<OutcomeOf<EditVariables>> {
  const before = context.runs.get(write.runId);
  if (before === undefined || before.owner !== write.owner) return { status: "not_found" };
  // Another node may have the run in memory: it sees by this that there is more.
  let run: RunState = { ...before, edits: before.edits + 1 };
  const ended = isClosing(run.status);
  run = yield* writeChanges(context, run, encodeChanges(write.changes), ended);
  if (ended) run = yield* foldVariables(context, run);
  const { edits, manifest, n } = run;
  context.changes.update("runs", { n }, { edits, manifest });
  context.runs.set(run);
  return { status: "edited" };
}

/** Changes as `changesIn` reads them; a large value is stored under its digest. */
function storedChanges(
  { changes }: WriteContext,
  { owner, sessionId }: RunState,
  some: EncodedChanges,
): string {
  const { value } = some;
  if (value === undefined) return some.entries;
  const digest = digestOf(value);
  const bytes = Buffer.byteLength(value);
  changes.insert("variable_values", { owner, digest, session_id: sessionId, bytes, value });
  return withDigest(some, digest);
}

function digestOf(json: string): string {
  return createHash("sha256").update(json).digest("hex");
}

type ForgetVariables = Extract<StoreWrite, { type: "forget-variables" }>;

/** Reads none of the rows that it removes: they are what cannot be read. */
export function forgetVariables(
  context: WriteContext,
  { runId, epoch }: ForgetVariables,
): OutcomeOf<ForgetVariables> {
  const run = context.runs.get(runId);
  if (run?.epoch !== epoch)
    return { status: "fenced", reason: `Run ${runId} is not held in epoch ${epoch}.` };
  const { n, baseManifest: manifest } = run;
  const edits = run.edits + 1;
  context.changes.update("runs", { n }, { edits, manifest });
  context.changes.remove("run_variables", { run_n: n });
  context.runs.set({ ...run, edits, manifest, variables: 0, changes: [] });
  return { status: "forgotten" };
}
