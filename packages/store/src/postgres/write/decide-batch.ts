import type { EncodedRequest } from "../../encode/run-commit.ts";
import { type Script, together } from "../../sql/script.ts";
import { type Applied, applyRequests } from "../../decide/apply-request.ts";
import type { WriteResult } from "../../records/write-results.ts";
import type { WriteContext } from "../../decide/state/write-context.ts";
import { type Lane, stagesOf } from "./lanes.ts";
import { LaneChanges, type PendingChanges } from "./pending-changes.ts";

/**
 * Decides the requests of a batch. The statements for different runs are sent together, so that a
 * large batch needs no more messages than a single request.
 */
export function* decideBatch(
  context: Omit<WriteContext, "changes" | "notes">,
  requests: readonly EncodedRequest[],
  pending: PendingChanges,
): Script<Applied> {
  const results: WriteResult[] = [];
  let undo = false;

  function* decideLane(lane: Lane): Script<void> {
    const own = { ...context, changes: new LaneChanges(pending), notes: [] };
    const applied = yield* applyRequests(
      own,
      lane.map(({ request }) => request),
    );
    undo ||= applied.undo;
    for (const [index, result] of applied.results.entries()) {
      const call = lane[index];
      if (call !== undefined) results[call.at] = result;
    }
  }

  for (const lanes of stagesOf(requests)) {
    pending.addBarrier();
    yield* together(lanes.map(decideLane));
  }
  return { results, undo };
}
