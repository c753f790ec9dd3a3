import type { Context } from "hono";
import type { RunEvent } from "@capstan/contract";
import { followEvents, isClosing, type RunRecord } from "@capstan/store";
import { eventStream, sseChunks } from "../http/streams.ts";
import type { Environment, Services } from "../http/services.ts";
import { readNumber } from "../http/read-body.ts";

/**
 * A run's events as they are stored, then as they come. `Last-Event-ID` wins over `starting_after`:
 * a browser that connects again sends it with the address that it began with.
 */
export function runEvents(
  { runs, limits }: Services,
  context: Context<Environment>,
  run: RunRecord,
): Response {
  const max = Number.MAX_SAFE_INTEGER;
  const from = readNumber(context, "starting_after", { min: 0, max, otherwise: 0 });
  const after = lastEventId(context.req.header("last-event-id")) ?? from;
  // What a browser, too, understands as "do not connect again".
  if (isClosing(run.status) && after >= run.lastSeq) return context.body(null, 204);
  const stop = new AbortController();
  const events = followEvents({
    store: runs.store,
    owner: run.owner,
    runId: run.id,
    after,
    signal: stop.signal,
  });
  return eventStream({
    chunks: encoded(events),
    idleMs: limits.heartbeatMs,
    onIdle: () => ": waiting\n\n",
    onLeave: () => stop.abort(),
  });
}

/** A number of ours; what else a client sends there says nothing. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header);
}

async function* encoded(events: AsyncIterable<RunEvent>): AsyncGenerator<string> {
  for await (const event of events)
    yield* sseChunks(`id: ${event.seq}\nevent: ${event.type}\n`, event);
}
