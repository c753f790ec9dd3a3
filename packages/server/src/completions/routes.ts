import { jsonChunks } from "@capstan/core/base";
import { type Context, Hono } from "hono";
import { followEvents, type RequestKey, type RunRecord } from "@capstan/store";
import { RequestError } from "../http/errors.ts";
import { createFollowers } from "../http/followers.ts";
import { withIgnored } from "../http/fields/ignored-fields.ts";
import { withKnownGroups } from "../http/tools/known-groups.ts";
import { bytesOf, type MemoryBudget, releaseBody } from "../http/memory-budget.ts";
import { withFiles } from "../http/files/stored-files.ts";
import { passedHeaders } from "../http/tools/request-data.ts";
import { mayRepeat, readJson } from "../http/read-body.ts";
import { comesBack, startOnce } from "../http/request-keys.ts";
import { givesLogprobs } from "../http/select-agent.ts";
import type { Environment, Services } from "../http/services.ts";
import { eventStream, nextTurn, sseChunks, streamJson } from "../http/streams.ts";
import { sessionHeader } from "../runs/history/session-marks.ts";
import { type CompletionRequest, parseCompletion } from "./parse-completion.ts";
import { createCompletionFold } from "./project-completion.ts";
import { collect, type CompletionParts, identityOf, linksOf, whole } from "./read-completion.ts";
import { completionView, startCompletion, viewOf } from "./start-completion.ts";
import { errorChunks, streamCompletion } from "./stream-completion.ts";
import { completionChunk, type CompletionIdentity, emptyChoice } from "./write-completion.ts";

/** Routes of the OpenAI Chat Completions API. */
export function completionRoutes(services: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, limits } = services;
  const follow = createFollowers(runs);

  /** Starts one run for each choice. Stops them all if one cannot start. */
  const startAll = async (
    context: Context<Environment>,
    request: CompletionRequest,
  ): Promise<readonly [RunRecord, ...RunRecord[]]> => {
    const caller = {
      principal: context.get("principal"),
      defaultAgent: context.get("defaultAgent"),
      mayApprove: context.get("rights").includes("approve"),
      sessionHeader: sessionHeader((name) => context.req.header(name)),
      headers: passedHeaders(context.req.raw.headers, services.passedHeaders),
    };
    const { store: isDurable } = request;
    const startPart = (part: number, of?: RunRecord) => {
      const choice = { choice: part, ...(of !== undefined && { of: of.id }) };
      const start = (key?: RequestKey) =>
        startCompletion(services, { ...caller, ...choice, key }, request);
      return mayRepeat(context)
        ? startOnce(services, context, { isDurable, part, start })
        : start();
    };
    const first = await startPart(0);
    const more: RunRecord[] = [];
    try {
      while (more.length < request.choices - 1) more.push(await startPart(more.length + 1, first));
    } catch (thrown) {
      for (const run of [first, ...more]) runs.cancelOnDisconnect(run);
      throw thrown;
    }
    return [first, ...more];
  };

  routes.post("/", async (context) => {
    // Hundreds of requests can arrive in one turn of the event loop.
    await nextTurn();
    const owner = context.get("principal");
    const body = await withFiles(await readJson(context), "messages", {
      store: runs.store,
      owner,
    });
    const { hostedTools = {} } = services;
    const { origin } = new URL(context.req.url);
    const parsed = parseCompletion(body, { origins: [origin], hostedTools });
    const request = withKnownGroups(services.groups(), parsed);
    await nextTurn();
    const release = request.stream ? budget.takeStream(owner) : undefined;
    const started = await startAll(context, request).catch((thrown: unknown) => {
      release?.();
      throw thrown;
    });
    releaseBody(context);
    const ignored = [
      ...request.ignored,
      ...(request.settings.logprobs !== undefined &&
      !(await givesLogprobs(services, started[0].model))
        ? ["logprobs", "top_logprobs"]
        : []),
    ];
    const { signal } = context.req.raw;
    const stays = mayRepeat(context) && comesBack(context);
    const followers = started.map((run) => follow(run, signal, { stays }));
    const view = completionView(started[0]) ?? viewOf(request);
    const identity = identityOf(started[0], view);
    const linkOf = linksOf(services, context);
    const fold = () => createCompletionFold({ ...view, linkOf });
    const stop = new AbortController();
    const events = started.map((run) =>
      followEvents({
        store: runs.stores.of(run.id),
        owner: run.owner,
        runId: run.id,
        signal: request.stream ? stop.signal : signal,
      }),
    );
    if (release === undefined) {
      const pieces = await Promise.all(events.map((each) => collect(each, fold())));
      const { metadata } = view;
      return withIgnored(send(context, { identity, metadata, pieces }), ignored);
    }
    const { includeUsage } = request;
    const chunks = streamCompletion({ choices: events, fold, identity, includeUsage });
    const leave = () => {
      stop.abort();
      for (const follower of followers) follower.leave();
      release();
    };
    // A failure before the first chunk is an HTTP error, on which the client's SDK retries.
    const first = await firstChunk(chunks, limits.heartbeatMs).catch((thrown: unknown) => {
      leave();
      throw thrown;
    });
    const response = eventStream({
      chunks: first,
      idleMs: limits.heartbeatMs,
      // A comment ends the stream for some clients. All accept a chunk without content.
      onIdle: () => heartbeat(identity, request.includeUsage),
      onLeave: leave,
      onEnd: release,
    });
    return withIgnored(response, ignored);
  });

  /** Sends a whole completion, even if the budget is used up, because its run has had an effect. */
  const send = (context: Context<Environment>, completion: CompletionParts): Response => {
    const body = whole(completion);
    const release = budget.take(context.get("principal"), bytesOf(body), true);
    return streamJson(jsonChunks(body), release);
  };

  return routes;
}

/** Waits for the first chunk, but not longer than `ms`. Returns all chunks. */
async function firstChunk(
  chunks: AsyncGenerator<string, void, undefined>,
  ms: number,
): Promise<AsyncIterable<string>> {
  const first = chunks.next();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([first, late]).finally(() => clearTimeout(timer));
  return (async function* () {
    try {
      const result = await first;
      if (result.done === true) return;
      yield result.value;
      yield* chunks;
    } catch (thrown) {
      // Heartbeats have started the stream, so its HTTP status can no longer report the error.
      if (!(thrown instanceof RequestError)) throw thrown;
      yield* errorChunks(thrown);
    }
  })();
}

/** Returns a chunk without content. */
function heartbeat(identity: CompletionIdentity, includeUsage: boolean): string {
  const usage = includeUsage ? null : undefined;
  return [...sseChunks("", completionChunk(identity, [emptyChoice(0)], usage))].join("");
}
