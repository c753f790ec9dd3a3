import type { Clock } from "@capstan/core";
import type { ClaimedRun, RunRef, Store } from "@capstan/store";
import { isOwnerlessEvent } from "./chain-state.ts";

/**
 * Claims a run in its epoch. From then on no other node can change it. Returns `undefined` if
 * another node has claimed it, or if it has ended.
 */
export async function claimRun(
  store: Store,
  { id, owner, epoch }: Pick<RunRef, "id" | "owner" | "epoch">,
): Promise<ClaimedRun | undefined> {
  const [outcome] = await store.write([{ type: "claim-run", runId: id, epoch }]);
  if (outcome.status !== "claimed") return undefined;
  const { epoch: own, lastSeq, edits } = outcome;
  return { id, owner, status: "in_progress", epoch: own, lastSeq, edits };
}

/**
 * Claims a run whose process died, as `claimRun` does. Records the claim before it reads the run,
 * because reading it may crash the process.
 */
export async function claimOrphan(
  store: Store,
  { id, owner, epoch }: RunRef,
  clock: Clock,
): Promise<ClaimedRun | undefined> {
  const writes = [{ type: "event", event: { type: "run.orphaned", at: clock.now() } }] as const;
  const [claim, noted] = await store.write([
    { type: "claim-run", runId: id, epoch },
    { type: "journal", runId: id, epoch: epoch + 1, writes },
  ]);
  if (claim.status !== "claimed" || noted.status !== "committed") return undefined;
  const { epoch: own, edits } = claim;
  return { id, owner, status: "in_progress", epoch: own, lastSeq: noted.lastSeq, edits };
}

/**
 * Whether too many processes of a claimed run crashed in a row without writing more than
 * heartbeats. Reads no event from before those crashes, because reading it may crash this process.
 *
 * @param maxCrashes the allowed number of such crashes
 */
export async function crashesItsServers(
  store: Store,
  { id: runId, owner, epoch, lastSeq }: ClaimedRun,
  maxCrashes: number,
): Promise<boolean> {
  let missing = maxCrashes + 1;
  let from = lastSeq;
  // Each crash led to a claim, which raised the epoch: a lower epoch rules out that many crashes.
  if (epoch <= missing) return false;
  while (missing > 0) {
    if (from < missing) return false;
    from -= missing;
    const events = (await store.readEvents({ owner, runId, after: from, limit: missing })) ?? [];
    if (events.length < missing || !events.every(isOwnerlessEvent)) return false;
    missing -= events.filter(({ type }) => type === "run.orphaned").length;
  }
  return true;
}
