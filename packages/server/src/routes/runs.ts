import { Hono, type Context } from "hono";
import { z } from "zod";
import type { RunEvent, RunView } from "../contract/run.ts";
import { followEvents } from "../journal/follow-events.ts";
import type { RunRecord } from "../journal/records.ts";
import type { Environment, Services } from "./environment.ts";
import { eventStream } from "./event-stream.ts";
import { readBody, readNumber } from "./read-body.ts";
import { badRequest, conflict, notFound } from "./request-refused.ts";

/** Runs as they are: their events are the loop's own. */
export function runRoutes({ runs, ephemeral, models, limits }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const find = async (context: Context<Environment>): Promise<RunRecord> => {
    const id = context.req.param("id") ?? "";
    const run = await runs.store.getRun({ owner: context.get("principal"), id });
    if (run === undefined) throw notFound("run", id);
    return run;
  };

  /** A run that may be stopped: one that is not kept, too, as its approvals are there to be seen. */
  const findAny = async (context: Context<Environment>) => {
    const query = { owner: context.get("principal"), id: context.req.param("id") ?? "" };
    for (const service of [runs, ephemeral]) {
      const run = await service.store.getRun(query);
      if (run !== undefined) return { service, run };
    }
    throw notFound("run", query.id);
  };

  routes.get("/:id", async (context) => context.json(runView(await find(context))));

  routes.get("/:id/events", async (context) => {
    const run = await find(context);
    const last = Number(context.req.header("last-event-id"));
    const after = readNumber(context, "after", {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      otherwise: Number.isInteger(last) ? last : 0,
    });
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
  });

  routes.post("/:id/cancel", async (context) => {
    const { service, run } = await findAny(context);
    await service.cancel(run);
    return context.json(runView((await service.store.getRun(run)) ?? run));
  });

  routes.post("/:id/calls/:callId/cancel", async (context) => {
    const { service, run } = await findAny(context);
    const callId = context.req.param("callId");
    if (!service.cancelCall(run.id, callId))
      throw conflict(`The call "${callId.slice(0, 100)}" is not open in this run.`);
    return context.json(runView(run));
  });

  routes.post("/:id/retry", async (context) => {
    const run = await find(context);
    const { model: wanted } = await readBody(context, z.object({ model: z.string().nullish() }));
    const model = await models.find(wanted ?? run.model);
    if (model === undefined)
      throw badRequest("model", `model: there is no "${wanted ?? run.model}" here.`);
    const outcome = await runs.retry(run, model.id);
    if (outcome.status === "conflict") throw conflict(outcome.message);
    return context.json(runView(outcome.run));
  });

  return routes;
}

async function* encoded(events: AsyncIterable<RunEvent>): AsyncGenerator<string> {
  for await (const event of events)
    yield `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function runView(run: RunRecord): RunView {
  return {
    id: run.id,
    object: "run",
    conversation: run.conversationId,
    previous: run.parentId,
    status: run.status,
    model: run.model,
    input: run.input,
    created_at: run.createdAt,
    ended_at: run.endedAt,
    error: run.result?.error ?? null,
    usage: run.result?.usage ?? null,
    stats: run.result?.stats ?? null,
    last_seq: run.lastSeq,
  };
}
