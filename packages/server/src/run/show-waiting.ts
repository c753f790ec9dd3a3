import { errorMessage } from "@capstan/core";
import type { RunRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";

/**
 * Writes a sign of life into the stream of a run that waits for a person or a client. Nothing of
 * such a run is in memory: whoever reads its stream asks for it. Several at once get one.
 */
export function createWaitingSigns(
  store: Store,
  log: (line: string) => void,
): (run: Pick<RunRecord, "owner" | "id">) => void {
  const underWay = new Set<string>();

  async function show(owner: string, id: string): Promise<void> {
    const run = await store.getRun({ owner, id });
    if (run?.status !== "requires_action") return;
    const event = { type: "run.heartbeat", at: Date.now() } as const;
    const { epoch } = run;
    // Fenced where the run goes on meanwhile: then it speaks for itself.
    await store.write([{ type: "journal", runId: id, epoch, writes: [{ type: "event", event }] }]);
  }

  return ({ owner, id }) => {
    if (underWay.has(id)) return;
    underWay.add(id);
    show(owner, id)
      .catch((thrown: unknown) =>
        log(`Run ${id} could not show that it waits: ${errorMessage(thrown)}`),
      )
      .finally(() => underWay.delete(id));
  };
}
