import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { RunRecord, Store } from "@capstan/store";

export interface SignsOfLifeOptions {
  readonly store: Store;
  /** Ms of silence after which readers ask. */
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Signs of life in the streams of runs that do not go on here: whoever reads one asks for it. Of
 * what is queued or waits nothing is in memory, and any node may write the sign; what goes on
 * elsewhere speaks for itself, or is gone. Several who ask at once get one.
 */
export function createSignsOfLife({
  store,
  heartbeatMs,
  clock,
  log,
}: SignsOfLifeOptions): (run: Pick<RunRecord, "owner" | "id">) => void {
  const underWay = new Set<string>();

  async function show(owner: string, id: string): Promise<void> {
    const run = await store.getRun({ owner, id });
    if (run?.status === "in_progress") return store.nodes?.requestHeartbeat(id);
    if (run?.status !== "queued" && run?.status !== "requires_action") return;
    const at = clock.now();
    if (await isShown(run, at)) return;
    const event = { type: "run.heartbeat", at } as const;
    const { epoch } = run;
    // Fenced where the run goes on meanwhile: then it speaks for itself.
    await store.write([{ type: "journal", runId: id, epoch, writes: [{ type: "event", event }] }]);
  }

  /** Readers at several nodes ask at about the same time: the first one's sign is enough. */
  async function isShown({ owner, id: runId, lastSeq }: RunRecord, now: number): Promise<boolean> {
    const [last] = (await store.readEvents({ owner, runId, after: lastSeq - 1, limit: 1 })) ?? [];
    if (last?.type !== "run.heartbeat") return false;
    // By another node's clock, perhaps: one that is ahead must not keep this one silent.
    return Math.abs(now - last.at) < heartbeatMs / 2;
  }

  return ({ owner, id }) => {
    if (underWay.has(id)) return;
    underWay.add(id);
    show(owner, id)
      .catch((thrown: unknown) =>
        log(`Run ${id} could not show that it is there: ${errorMessage(thrown)}`),
      )
      .finally(() => underWay.delete(id));
  };
}
