import { jsonChunks } from "@capstan/core/base";
import { Hono, type Context } from "hono";
import { isClosing, type RequestKey, type RunRecord } from "@capstan/store";
import { conflict, notFound, RequestError } from "../http/errors.ts";
import { createFollowers } from "../http/followers.ts";
import {
  awaitResponse,
  isResponse,
  readInclude,
  readInputPage,
  readResponse,
  type ResponseSource,
  streamResponse,
} from "./read-response.ts";
import { withKnownItems } from "./request/foreign-items.ts";
import { parseLongInput } from "./request/parse-input.ts";
import { type CreateRequest, parseCreateRequest } from "./request/parse-request.ts";
import { withFiles } from "../http/files/stored-files.ts";
import { itemChunks } from "./content-parts.ts";
import { compactionChunks, parseCompactRequest, startCompaction } from "./compact.ts";
import { countInput } from "./count-input.ts";
import { type ResponseCaller, startResponse } from "./start-response.ts";
import { givesLogprobs } from "../http/select-agent.ts";
import { withIgnored } from "../http/fields/ignored-fields.ts";
import { withKnownGroups } from "../http/tools/known-groups.ts";
import type { Environment, Services } from "../http/services.ts";
import { bytesOf, type MemoryBudget, type Release, releaseBody } from "../http/memory-budget.ts";
import type { ResponseObject } from "./projection/wire.ts";
import { eventStream, listChunks, nextTurn, streamJson } from "../http/streams.ts";
import { passedHeaders } from "../http/tools/request-data.ts";
import { mayRepeat, readJson, readNumber, readWord } from "../http/read-body.ts";
import { comesBack, startOnce } from "../http/request-keys.ts";
import { sessionHeader } from "../runs/history/session-marks.ts";

interface StreamOptions {
  readonly after: number;
  readonly include?: readonly string[];
  /** Releases the memory that the stream reserved from the budget. */
  readonly release: Release;
  /** Called if the client disconnects. */
  readonly leave?: (() => void) | undefined;
  readonly onPause?: (() => void) | undefined;
}

/** Routes of the OpenAI Responses API. */
export function responseRoutes(services: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, limits } = services;
  const find = async (context: Context<Environment>): Promise<RunRecord> => {
    const id = context.req.param("id") ?? "";
    const run = await runs.store.getRun({ owner: context.get("principal"), id });
    if (run === undefined || !isResponse(run)) throw notFound("response", id);
    return run;
  };
  /** Also finds the messages that were added to a conversation. */
  const findInput = async (context: Context<Environment>): Promise<RunRecord> => {
    const id = context.req.param("id") ?? "";
    const run = await runs.store.getRun({ owner: context.get("principal"), id });
    return run?.kind === "edit" && run.input.length > 0 ? run : find(context);
  };
  const sourceOf = (run: RunRecord, include: readonly string[] = []): ResponseSource => ({
    store: runs.stores.of(run.id),
    sealer: services.sealer,
    include,
  });
  const follow = createFollowers(runs);
  /** Sends the response of a request that has had an effect, even if the budget is used up. */
  const send = (run: RunRecord, response: ResponseObject) => {
    const release = budget.take(run.owner, bytesOf(response), true);
    return streamJson(jsonChunks(response), release);
  };
  /** Streams a run from a number on, until the client disconnects. */
  const stream = (found: RunRecord, { after, include, release, leave, onPause }: StreamOptions) => {
    // The result contains the run's whole text, which each open stream would keep in memory.
    const run: RunRecord = { ...found, result: null };
    const stop = new AbortController();
    return eventStream({
      chunks: streamResponse(sourceOf(run, include), run, {
        after,
        signal: stop.signal,
        onPause,
      }),
      idleMs: limits.heartbeatMs,
      onIdle: () => {
        // Comments keep proxies connected, but clients with an idle timeout need an event.
        runs.heartbeat(run);
        return runs.isActive(run.id) ? undefined : ": waiting\n\n";
      },
      onLeave: () => {
        stop.abort();
        leave?.();
      },
      onEnd: release,
    });
  };

  const readKnownItems = async (context: Context<Environment>): Promise<unknown> => {
    const owner = context.get("principal");
    const known = withKnownItems(await readJson(context), (sealed) =>
      services.sealer.open(owner, sealed),
    );
    return withFiles(known, "input", { store: runs.store, owner });
  };
  const readRequest = async (context: Context<Environment>): Promise<CreateRequest> => {
    const { origin } = new URL(context.req.url);
    const body = await readKnownItems(context);
    const input = await parseLongInput(body);
    const { hostedTools = {} } = services;
    const request = parseCreateRequest(body, { origins: [origin], hostedTools, input });
    const remote = request.tools.remote.map(({ group }) => ({ name: group }));
    return withKnownGroups([...services.groups(), ...remote], request);
  };
  const callerOf = (context: Context<Environment>): ResponseCaller => ({
    principal: context.get("principal"),
    defaultAgent: context.get("defaultAgent"),
    mayApprove: context.get("rights").includes("approve"),
    sessionHeader: sessionHeader((name) => context.req.header(name)),
    connection: context.env?.connection,
    headers: passedHeaders(context.req.raw.headers, services.passedHeaders),
  });

  routes.post("/", async (context) => {
    // Hundreds of requests can arrive in one turn of the event loop.
    await nextTurn();
    const request = await readRequest(context);
    await nextTurn();
    const caller = callerOf(context);
    const { signal } = context.req.raw;
    const start = (key?: RequestKey) =>
      startResponse(services, { ...caller, key, signal }, request);
    const repeats = mayRepeat(context);
    // A WebSocket is counted once, with all of its responses.
    const release = !request.stream
      ? undefined
      : caller.connection === undefined
        ? budget.takeStream(caller.principal)
        : () => {};
    const started = repeats
      ? startOnce(services, context, { isDurable: request.store, start })
      : start();
    const run = await started.catch((thrown: unknown) => {
      release?.();
      throw thrown;
    });
    const waits = request.approvals === "inline" || request.toolOutputs === "inline";
    releaseBody(context);
    const stays = request.background || waits || (repeats && comesBack(context));
    // As with OpenAI, a client stops a response by closing its connection.
    const { leave, pause: onPause } = follow(run, signal, { stays });
    const ignored = [
      ...request.ignored,
      ...(request.settings.logprobs !== undefined && !(await givesLogprobs(services, run.model))
        ? ["include.message.output_text.logprobs"]
        : []),
    ];
    if (release !== undefined)
      return withIgnored(stream(run, { after: -1, release, leave, onPause }), ignored);
    const response = request.background
      ? await readResponse(sourceOf(run), run)
      : await awaitResponse(sourceOf(run), run, { signal, onPause });
    return withIgnored(send(run, response), ignored);
  });

  routes.post("/input_tokens", async (context) => {
    const count = await countInput(services, callerOf(context), await readRequest(context));
    return context.json({ object: "response.input_tokens", input_tokens: count });
  });

  routes.post("/compact", async (context) => {
    const request = await parseCompactRequest(await readKnownItems(context));
    const started = await startCompaction(services, callerOf(context), request);
    releaseBody(context);
    const { run } = started;
    const { signal } = context.req.raw;
    follow(run, signal, { stays: false });
    const response = await awaitResponse(sourceOf(run), run, { signal });
    const release = budget.take(run.owner, bytesOf(started.messages), true);
    return streamJson(compactionChunks(services, started, response), release);
  });

  routes.get("/:id", async (context) => {
    const run = await find(context);
    const include = readInclude(context);
    if (context.req.query("stream") !== "true") {
      const { answer, release } = await budget.readAnswer(run.owner, {
        id: [run.id, ...include.toSorted()].join(" "),
        isFinal: isClosing(run.status),
        always: false,
        signal: context.req.raw.signal,
        read: () => readResponse(sourceOf(run, include), run),
      });
      return streamJson(jsonChunks(answer), release);
    }
    const after = readNumber(context, "starting_after", { min: -1, otherwise: -1 });
    return stream(run, { after, include, release: budget.takeStream(run.owner) });
  });

  routes.delete("/:id", async (context) => {
    const run = await find(context);
    const outcome = await runs.delete(run);
    if (outcome.status === "refused") throw conflict(outcome.reason);
    return context.json({ id: run.id, object: "response", deleted: true });
  });

  routes.post("/:id/cancel", async (context) => {
    const run = await find(context);
    const response = await readResponse(sourceOf(run), run);
    if (response.status === "cancelled") return send(run, response);
    if (!response.background) {
      const message =
        "Cannot cancel a synchronous response. Close its connection, or cancel its run at /v1/runs.";
      throw new RequestError({ message });
    }
    await runs.cancel(run);
    return send(run, await readResponse(sourceOf(run), run));
  });

  routes.get("/:id/input_items", async (context) => {
    const run = await findInput(context);
    const order = readWord(context, "order", ["asc", "desc"]) ?? "desc";
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const after = context.req.query("after");
    const options = { limit, order, ...(after !== undefined && { after }) } as const;
    const take = (bytes: number) => budget.take(run.owner, bytes);
    const { page, release } = await budget.readOneByOne(run.owner, () =>
      readInputPage(runs.store, run, { ...options, take }),
    );
    const { data, has_more: hasMore, first_id: first, last_id: last } = page;
    return streamJson(
      listChunks(
        data.map((item) => itemChunks(item, runs.store)),
        { hasMore, first, last },
      ),
      release,
    );
  });

  return routes;
}
