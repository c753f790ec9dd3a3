import type { Manifest, ManifestEntry } from "../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import { all, first, type Script, together } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

/** The columns of a run from which its variables are read. */
export interface ManifestSource {
  readonly n: number;
  readonly session_id: string;
  readonly base_manifest: string | null;
  readonly manifest: string | null;
  /** Later changes as in `run_variables`, if they are known. */
  readonly changes?: readonly string[] | undefined;
}

/**
 * Reads the entries of the run's own manifest, or the entries of its base manifest with the later
 * changes.
 */
export function* readManifestEntries(run: ManifestSource): Script<Map<string, ManifestEntry>> {
  const [entries, changes] = yield* together([
    storedEntries(run.session_id, run.manifest ?? run.base_manifest),
    changesOf(run),
  ]);
  for (const [name, change] of changes.flatMap(changesIn)) {
    if (change === null) remove(entries, name);
    else apply(entries, name, change);
  }
  return entries;
}

const findChanges = statement<CheckedRow & { changes: string }>(
  { reads: ["run_variables"] },
  (dialect) =>
    `SELECT changes, ${isIntact(dialect, "run_variables", "v")} AS is_intact FROM run_variables v
     WHERE run_n = ? ORDER BY n`,
);

/** Reads a run's changes of variables in order, one text per commit. */
export function* readChanges(runN: number): Script<readonly string[]> {
  const rows = yield* all(findChanges, runN);
  requireIntact("run_variables", ...rows);
  return rows.map(({ changes }) => changes);
}

function* changesOf({ n, changes }: ManifestSource): Script<readonly string[]> {
  return changes ?? (yield* readChanges(n));
}

/** The new state of a variable; null removes it. */
type ManifestChange = ManifestEntry | { readonly evicted: true } | null;

/** Returns the changes of one commit in order, from a row of `run_variables`. */
export function changesIn(text: string): readonly (readonly [string, ManifestChange])[] {
  return JSON.parse(text) as readonly (readonly [string, ManifestChange])[];
}

/**
 * Removes a variable. A result loses its value but keeps its name, so that no later result gets the
 * name.
 */
function remove(entries: Map<string, ManifestEntry>, name: string): void {
  const entry = entries.get(name);
  entries.delete(name);
  if (entry?.type !== "ToolCallResult" || !/_\d+$/.test(name)) return;
  const { desc: _desc, value: _value, digest: _digest, ...known } = entry;
  const nothing = { tags: [], keep: false, length: 0, bytes: 0, removed: true };
  entries.set(name, { ...known, ...nothing });
}

function apply(
  entries: Map<string, ManifestEntry>,
  name: string,
  change: NonNullable<ManifestChange>,
): void {
  if ("name" in change) {
    entries.set(name, change);
    return;
  }
  const entry = entries.get(name);
  if (entry !== undefined) entries.set(name, { ...entry, ...change });
}

/** From a Map, because a variable can be called `__proto__`. */
export function manifestOf(entries: ReadonlyMap<string, ManifestEntry>): Manifest {
  return Object.fromEntries(entries);
}

const findEntries = statement<CheckedRow & { entries: string }>(
  { reads: ["manifests"] },
  (dialect) =>
    `SELECT entries, ${isIntact(dialect, "manifests", "m")} AS is_intact FROM manifests m
     WHERE session_id = ? AND digest = ?`,
);

function* storedEntries(
  sessionId: string,
  digest: string | null,
): Script<Map<string, ManifestEntry>> {
  if (digest === null) return new Map();
  const row = yield* first(findEntries, sessionId, digest);
  if (row !== undefined) requireIntact("manifests", row);
  return new Map(row === undefined ? [] : Object.entries(JSON.parse(row.entries) as Manifest));
}
