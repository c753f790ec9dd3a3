import { type ApprovalRecord, requestOf, type RunRecord, type Store } from "@capstan/store";
import type { RunStores } from "../active/run-stores.ts";
import { isFromModel, type ResolvedItem } from "./history-item.ts";
import type { PairedOutputs } from "./pair-outputs.ts";
import { openCallsOf } from "./parent-history.ts";

/** The stores in which a request finds runs. */
export interface HistoryScope {
  readonly stores: RunStores;
  readonly owner: string;
  /** Whether the new run is stored. */
  readonly isDurable: boolean;
}

/**
 * Returns the stores that a request may read. A stored run must not contain data of runs that
 * clients asked not to store.
 */
export function readableStores({ stores, isDurable }: HistoryScope): readonly Store[] {
  const own = stores.forNew({ isDurable });
  return own === stores.durable ? [own] : [own, stores.durable];
}

/**
 * Finds the parent of a request that names none: the run with the open call or approval that the
 * request answers. Of several answers, the last one counts.
 */
export async function findAnsweredRun(
  scope: HistoryScope,
  items: readonly ResolvedItem[],
  { callOf }: PairedOutputs,
): Promise<RunRecord | undefined> {
  const lastModelItem = items.findLastIndex(isFromModel);
  for (const [index, item] of [...items.entries()].toReversed()) {
    if (item.type === "approval_response" && index > lastModelItem) {
      const approval = await findApproval(scope, item.approvalId);
      if (approval !== undefined) return findRun(scope, { id: approval.runId });
    }
    if (item.type !== "output") continue;
    const call = callOf.get(item);
    // Outputs that a model has answered are history.
    if (call !== undefined && index < lastModelItem) continue;
    const { callId } = item.output;
    const runId = call === undefined ? undefined : (call as ResolvedItem).runId;
    const run = await findRun(scope, runId === undefined ? { callId } : { id: runId });
    const open = run && (await findOpen(scope, run, callId));
    if (open !== undefined) return open;
    // The merge rejects this output.
    if (call === undefined) return undefined;
  }
  return undefined;
}

/** Returns an approval of a call. These APIs cannot represent the review of a result. */
export async function findApproval(
  scope: HistoryScope,
  id: string,
): Promise<ApprovalRecord | undefined> {
  for (const store of readableStores(scope)) {
    const approval = await store.getApproval({ owner: scope.owner, id });
    if (approval !== undefined) return approval.kind === "execution" ? approval : undefined;
  }
  return undefined;
}

/** Returns the run with this id, or the newest run with a call of this id. */
export async function findRun(
  scope: HistoryScope,
  query: { readonly id: string } | { readonly callId: string },
): Promise<RunRecord | undefined> {
  const { owner } = scope;
  for (const store of readableStores(scope)) {
    const run =
      "id" in query
        ? await store.getRun({ owner, id: query.id })
        : await store.findRun({ owner, callId: query.callId });
    if (run !== undefined) return run;
  }
  return undefined;
}

/** Returns the run that left the call open: this one, or one whose turn it took over. */
async function findOpen(
  scope: HistoryScope,
  run: RunRecord,
  callId: string,
): Promise<RunRecord | undefined> {
  let found: RunRecord | undefined = run;
  while (found !== undefined && !openCallsOf(found).has(callId)) {
    const isSuccessor: boolean = found.kind === "turn" && requestOf(found).adopts;
    found =
      isSuccessor && found.parentId !== null
        ? await findRun(scope, { id: found.parentId })
        : undefined;
  }
  return found;
}
