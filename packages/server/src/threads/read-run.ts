import type { RunRecord, Store } from "@capstan/store";
import { createRunProjection, type RunProjection } from "./projection/project-run.ts";
import { projectionOf } from "./run-wire.ts";

/** Reads the messages and steps of a run, in their current state. */
export async function readRunObjects(store: Store, run: RunRecord): Promise<RunProjection> {
  const projection = createRunProjection(projectionOf(run));
  const compact = await store.readEventsCompact({ owner: run.owner, runId: run.id });
  for (const event of compact?.events ?? []) projection.push(event);
  return projection;
}
