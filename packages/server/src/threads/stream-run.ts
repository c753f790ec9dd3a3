import type { JsonObject } from "@capstan/core";
import { followEvents, isClosing, type RunRecord, type Store } from "@capstan/store";
import { sseChunks } from "../http/streams.ts";
import { createRunProjection, type RunProjection } from "./projection/project-run.ts";
import { readRunView, runView } from "./run-view.ts";
import { projectionOf, type RunWire } from "./run-wire.ts";

/** The last event of every stream. */
const endOfStream = "event: done\ndata: [DONE]\n\n";

interface StreamOptions {
  readonly store: Store;
  readonly run: RunRecord;
  readonly wire: RunWire;
  readonly suspendedMs: number;
  readonly signal: AbortSignal;
}

/**
 * Streams a run from its beginning until it ends or waits for its client.
 *
 * @param options.thread the thread, if the request has created it
 */
export async function* streamRun({
  thread,
  ...options
}: StreamOptions & { readonly thread?: JsonObject }): AsyncGenerator<string> {
  if (thread !== undefined) yield* chunks("thread.created", thread);
  const { run, wire, suspendedMs } = options;
  const queued = runView(run, { wire, suspendedMs, status: "queued" });
  yield* chunks("thread.run.created", queued);
  yield* chunks("thread.run.queued", queued);
  yield* streamFrom(options, { projection: createRunProjection(projectionOf(run)), after: 0 });
}

/** Returns the position of a run's stream before its client submits outputs. */
export async function positionOf(
  store: Store,
  run: RunRecord,
): Promise<{ readonly projection: RunProjection; readonly after: number }> {
  const projection = createRunProjection(projectionOf(run));
  const compact = await store.readEventsCompact({ owner: run.owner, runId: run.id });
  for (const event of compact?.events ?? []) projection.push(event);
  projection.continueElsewhere();
  return { projection, after: compact?.lastSeq ?? 0 };
}

/** Streams a run after its client has submitted outputs. */
export async function* streamResumed(
  options: StreamOptions,
  position: Awaited<ReturnType<typeof positionOf>>,
): AsyncGenerator<string> {
  const { run, wire, suspendedMs } = options;
  yield* chunks("thread.run.queued", runView(run, { wire, suspendedMs, status: "queued" }));
  yield* streamFrom(options, position);
}

async function* streamFrom(
  { store, run, wire, suspendedMs, signal }: StreamOptions,
  { projection, after }: { readonly projection: RunProjection; readonly after: number },
): AsyncGenerator<string> {
  const { owner, id: runId } = run;
  const now = async () => (await store.getRun({ owner, id: runId })) ?? run;
  for await (const event of followEvents({ store, owner, runId, after, signal })) {
    for (const piece of projection.push(event)) {
      if (!("change" in piece)) {
        yield* chunks(piece.event, piece.data);
        continue;
      }
      if (piece.change === "started") {
        const status = "in_progress";
        yield* chunks("thread.run.in_progress", runView(run, { wire, suspendedMs, status }));
        continue;
      }
      const current = await now();
      const view = await readRunView(store, current, { wire, suspendedMs });
      const status = view["status"] as string;
      // Other approvals or outputs have let the run continue in the meantime.
      if (piece.change === "waiting" && status !== "requires_action" && !isClosing(current.status))
        continue;
      yield* chunks(`thread.run.${status}`, view);
      yield endOfStream;
      return;
    }
  }
  yield endOfStream;
}

function chunks(event: string, data: JsonObject): Generator<string> {
  return sseChunks(`event: ${event}\n`, data);
}
