import { Hono, type Context } from "hono";
import type { RunRecord } from "@capstan/store";
import { errorBody, invalidRequest } from "../http/api-error.ts";
import {
  awaitResponse,
  inputItemsOf,
  pageOfItems,
  readResponse,
  streamResponse,
} from "./read-response.ts";
import { parseCreateRequest } from "./request/parse-request.ts";
import { itemChunks } from "./content-parts.ts";
import { startResponse } from "./start-response.ts";
import type { Environment, Services } from "../http/services.ts";
import { eventStream } from "../http/event-stream.ts";
import { jsonChunks, listChunks, streamJson } from "../http/stream-json.ts";
import { readJson, readNumber } from "../http/read-body.ts";
import { badRequest, conflict, notFound, RequestError } from "../http/request-error.ts";

/** The OpenAI Responses API over the runs. */
export function responseRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, limits } = services;
  const find = async (context: Context<Environment>): Promise<RunRecord> => {
    const id = context.req.param("id") ?? "";
    const run = await runs.store.getRun({ owner: context.get("principal"), id });
    if (run?.kind !== "turn") throw notFound("response", id);
    return run;
  };
  /** A stream of a run from a number on, until the client goes away. */
  const stream = (
    found: RunRecord,
    { after, leave }: { readonly after: number; readonly leave?: (() => void) | undefined },
  ): Response => {
    // Its result has all of its text, which each stream would keep as long as it is open.
    const run: RunRecord = { ...found, result: null };
    const stop = new AbortController();
    return eventStream({
      chunks: streamResponse(runs.stores.of(run.id), run, { after, signal: stop.signal }),
      idleMs: limits.heartbeatMs,
      onIdle: () => {
        // Comments keep proxies open, but only an event keeps clients that count idle time.
        runs.heartbeat(run);
        return runs.isActive(run.id) ? undefined : ": waiting\n\n";
      },
      onLeave: () => {
        stop.abort();
        leave?.();
      },
    });
  };

  routes.post("/", async (context) => {
    const origin = new URL(context.req.url).origin;
    const parsed = parseCreateRequest(await readJson(context), { origins: [origin] });
    if (parsed.status === "error") throw new RequestError(parsed.error);
    const { request } = parsed;
    const started = await startResponse(services, context.get("principal"), request);
    if (started.status === "error") throw new RequestError(started.error);
    const { run } = started;
    const waits = request.approvals === "inline" || request.toolOutputs === "inline";
    const stays = request.background || waits;
    // At OpenAI, too, closing the connection is how a client says stop.
    const leave = stays ? undefined : () => runs.cancelOnDisconnect(run);
    const { signal } = context.req.raw;
    // It may have gone before there was a run to stop.
    if (signal.aborted) leave?.();
    else if (leave !== undefined) signal.addEventListener("abort", leave, { once: true });
    const store = runs.stores.of(run.id);
    if (request.stream) return stream(run, { after: -1, leave });
    if (request.background) return streamJson(jsonChunks(await readResponse(store, run)));
    return streamJson(jsonChunks(await awaitResponse(store, run, signal)));
  });

  routes.get("/:id", async (context) => {
    const run = await find(context);
    if (context.req.query("stream") !== "true")
      return streamJson(jsonChunks(await readResponse(runs.store, run)));
    const after = readNumber(context, "starting_after", {
      min: -1,
      max: Number.MAX_SAFE_INTEGER,
      otherwise: -1,
    });
    return stream(run, { after });
  });

  routes.delete("/:id", async (context) => {
    const run = await find(context);
    const outcome = await runs.delete(run);
    if (outcome.status === "refused") throw conflict(outcome.reason);
    return context.json({ id: run.id, object: "response", deleted: true });
  });

  routes.post("/:id/cancel", async (context) => {
    const run = await find(context);
    const response = await readResponse(runs.store, run);
    if (response.status === "cancelled") return streamJson(jsonChunks(response));
    if (!response.background) {
      const message =
        "Cannot cancel a synchronous response. Close its connection, or cancel its run at /v1/runs.";
      return context.json(errorBody(invalidRequest({ message })), 400);
    }
    await runs.cancel(run);
    return streamJson(jsonChunks(await readResponse(runs.store, run)));
  });

  routes.get("/:id/input_items", async (context) => {
    const run = await find(context);
    const order = context.req.query("order") ?? "desc";
    if (order !== "asc" && order !== "desc")
      throw badRequest("order", `order: expected "asc" or "desc", got "${order.slice(0, 40)}".`);
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const after = context.req.query("after");
    const page = pageOfItems(await inputItemsOf(runs.store, run), {
      limit,
      order,
      ...(after !== undefined && { after }),
    });
    if (page.status === "error") throw new RequestError(page.error);
    const { data, has_more: hasMore, first_id: first, last_id: last } = page.value;
    return streamJson(
      listChunks(
        data.map((item) => itemChunks(item, runs.store)),
        { hasMore, first, last },
      ),
    );
  });

  return routes;
}
