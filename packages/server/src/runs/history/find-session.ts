import { isClosing, type RunRecord } from "@capstan/store";
import { findRun, type HistoryScope } from "./find-answered-run.ts";
import { isFromModel, type ResolvedItem } from "./history-item.ts";
import { readLineage } from "./parent-history.ts";
import { restatedRun } from "./restated-run.ts";
import { findMarkedRun, type SessionMark } from "./session-marks.ts";

/** The session of a request that names no parent. */
export interface FoundSession {
  /** The run by which the session was found: through an item, a mark or a call. */
  readonly run: RunRecord;
  /**
   * The run whose history the request repeats as a whole. The new run continues it, so that the
   * model also reads the parts that the client omitted.
   */
  readonly restated?: RunRecord;
}

/**
 * Finds the session of a request by its newest item with a known id. If there is none, searches by
 * its marks, then by its newest call. Call ids and some marks are not unique, so they find only a
 * run whose whole history the request repeats.
 */
export async function findSession(
  scope: HistoryScope,
  items: readonly ResolvedItem[],
  marks: readonly SessionMark[],
): Promise<FoundSession | undefined> {
  const ofItem = await findByItem(scope, items);
  if (ofItem !== undefined) return sessionOf(scope, items, { run: ofItem, isExplicit: true });
  for (const { key, isExplicit } of marks) {
    const run = await findMarkedRun(scope, key);
    const found = run && (await sessionOf(scope, items, { run, isExplicit }));
    if (found !== undefined) return found;
  }
  const ofCall = await findByCall(scope, items);
  return ofCall && sessionOf(scope, items, { run: ofCall, isExplicit: false });
}

async function sessionOf(
  scope: HistoryScope,
  items: readonly ResolvedItem[],
  { run, isExplicit }: { readonly run: RunRecord; readonly isExplicit: boolean },
): Promise<FoundSession | undefined> {
  const restated = await findRestated(scope, items, run);
  if (restated !== undefined) return { run, restated };
  return isExplicit ? { run } : undefined;
}

async function findByItem(
  scope: HistoryScope,
  items: readonly ResolvedItem[],
): Promise<RunRecord | undefined> {
  for (const { runId } of items.toReversed()) {
    const run = runId === undefined ? undefined : await findRun(scope, { id: runId });
    if (run !== undefined) return run;
  }
  return undefined;
}

async function findByCall(
  scope: HistoryScope,
  items: readonly ResolvedItem[],
): Promise<RunRecord | undefined> {
  const newest = items.findLast((item) => item.type === "call");
  return newest && findRun(scope, { callId: newest.call.id });
}

async function findRestated(
  { stores }: HistoryScope,
  items: readonly ResolvedItem[],
  run: RunRecord,
): Promise<RunRecord | undefined> {
  if (!items.some(isFromModel)) return undefined;
  const found = await restatedRun(items, await readLineage(stores.of(run.id), run));
  // A turn that has not ended cannot be continued by a request that does not name it.
  const isOpen = found === undefined || !isClosing(found.status);
  return isOpen || (found.result?.waiting ?? []).length > 0 ? undefined : found;
}
