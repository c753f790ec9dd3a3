import { followEvents, type RunRecord, type Store } from "@capstan/store";
import { runProjection } from "./run-projection.ts";
import { encodeInChunks, endOfStream } from "../http/sse.ts";
import type { ResponseObject } from "./projection/wire.ts";

/** A run as a response, as it is now. */
export async function readResponse(store: Store, run: RunRecord): Promise<ResponseObject> {
  const projection = runProjection(run);
  const compact = await store.readEventsCompact({ owner: run.owner, runId: run.id });
  projection.begin();
  for (const event of compact?.events ?? []) projection.push(event);
  return projection.response();
}

/** A run as a response, once it has ended. */
export async function awaitResponse(
  store: Store,
  run: RunRecord,
  signal: AbortSignal,
): Promise<ResponseObject> {
  const projection = runProjection(run);
  projection.begin();
  for await (const event of followEvents({ store, owner: run.owner, runId: run.id, signal }))
    projection.push(event);
  return projection.response();
}

/**
 * A run as the stream of a response: what was, from number `after` on, then what comes. One
 * string an event, but for events with long texts; the same bytes however often it is read.
 */
export async function* streamResponse(
  store: Store,
  run: RunRecord,
  options: { readonly after?: number; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const { after = -1, signal } = options;
  const projection = runProjection(run);
  for (const event of projection.begin())
    if (event.sequence_number > after) yield* encodeInChunks(event);
  for await (const event of followEvents({ store, owner: run.owner, runId: run.id, signal })) {
    for (const out of projection.push(event))
      if (out.sequence_number > after) yield* encodeInChunks(out);
  }
  yield endOfStream;
}
