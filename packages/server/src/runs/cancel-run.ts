import type { ChainError } from "@capstan/core";
import { isClosing, type RunRecord } from "@capstan/store";
import type { RunRegistry } from "./active/run-registry.ts";
import type { RunStores } from "./active/run-stores.ts";
import { type NodeMessages, stoppedByUser } from "./nodes/node-messages.ts";

export interface CancelContext {
  readonly stores: RunStores;
  readonly registry: RunRegistry;
  readonly nodeMessages: NodeMessages;
}

const stopped: ChainError = { code: "aborted", message: stoppedByUser, phase: "chain" };

/** How long another node has to stop a run before this node claims it. */
const stopTimeoutMs = 500;

/** Stops a run in any status, at whichever node executes it. Resolves when it has ended. */
export async function cancelRun(
  { stores, registry, nodeMessages }: CancelContext,
  { owner, id }: Pick<RunRecord, "owner" | "id">,
): Promise<void> {
  const store = stores.of(id);
  // Stops immediately, ahead of the commands that wait for this run.
  await registry.get(id)?.cancel(stoppedByUser);
  await registry.runInMailbox(id, async () => {
    await registry.get(id)?.cancel(stoppedByUser);
    let now = await store.getRun({ owner, id });
    if (now === undefined || isClosing(now.status)) return;
    // Its owner knows the state of its calls. If that node is dead or slow, this one claims the
    // run.
    const isElsewhere = now.status === "in_progress";
    if (isElsewhere && (await nodeMessages.stopRun(now, stopTimeoutMs))) return;
    // Other nodes can claim it in the meantime.
    while (now !== undefined && !isClosing(now.status)) {
      if (await registry.close(now, stopped)) return;
      now = await store.getRun({ owner, id });
    }
  });
}
