import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { RunRecord, Store } from "@capstan/store";
import type { RunStores } from "./active/run-stores.ts";

export interface HeartbeatOptions {
  readonly stores: RunStores;
  /** Ms without an event after which readers ask for a heartbeat. */
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Returns a function that asks for a heartbeat in the stream of a run that does not execute here. For
 * a queued or suspended run any node writes it; a run in progress gets it from its owner, if that is
 * alive. Readers that ask at the same time share one heartbeat.
 */
export function createHeartbeats({
  stores,
  heartbeatMs,
  clock,
  log,
}: HeartbeatOptions): (run: Pick<RunRecord, "owner" | "id">) => void {
  const pending = new Set<string>();

  async function write(owner: string, id: string): Promise<void> {
    const store = stores.of(id);
    const run = await store.getRun({ owner, id });
    if (run?.status === "in_progress") return store.nodes?.requestHeartbeat(id);
    if (run?.status !== "queued" && run?.status !== "requires_action") return;
    const at = clock.now();
    if (await isRecent(store, run, at)) return;
    const event = { type: "run.heartbeat", at } as const;
    const { epoch } = run;
    // Fenced if the run has been claimed in the meantime: its owner writes heartbeats then.
    await store.write([{ type: "journal", runId: id, epoch, writes: [{ type: "event", event }] }]);
  }

  /** If readers at several nodes request a heartbeat at about the same time, one is enough. */
  async function isRecent(
    store: Store,
    { owner, id: runId, lastSeq }: RunRecord,
    now: number,
  ): Promise<boolean> {
    const [last] = (await store.readEvents({ owner, runId, after: lastSeq - 1, limit: 1 })) ?? [];
    if (last?.type !== "run.heartbeat") return false;
    // The time can be from another node's clock. A clock that is ahead must not suppress
    // heartbeats.
    return Math.abs(now - last.at) < heartbeatMs / 2;
  }

  return ({ owner, id }) => {
    if (pending.has(id)) return;
    pending.add(id);
    write(owner, id)
      .catch((thrown: unknown) =>
        log(`Run ${id} could not write a heartbeat: ${errorMessage(thrown)}`),
      )
      .finally(() => pending.delete(id));
  };
}
