import { type Context, Hono } from "hono";
import type { ClientOutput } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import { isClosing, type RequestKey, type RunRecord, type StoreWrite } from "@capstan/store";
import { z } from "zod";
import { badRequest, checked, conflict, notFound, RequestError, tooLong } from "../http/errors.ts";
import { bytesOf, type MemoryBudget, releaseBody } from "../http/memory-budget.ts";
import { mayRepeat, readJson } from "../http/read-body.ts";
import { createOnce, startOnce } from "../http/request-keys.ts";
import { passedHeaders } from "../http/tools/request-data.ts";
import { mayApprove } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";
import { eventStream, streamJson } from "../http/streams.ts";
import { createThread, requireThreadFiles } from "./create-thread.ts";
import { pageOf, readPageQuery } from "./list-page.ts";
import { readRunObjects } from "./read-run.ts";
import { availableTypes } from "./request/hosted-tools.ts";
import { metadata, objectBody, rejectUnknown } from "./request/fields.ts";
import { parseRun, parseThreadRun } from "./request/parse-run.ts";
import { readRunView, type RunChange } from "./run-view.ts";
import { type RunWire, runWire, wireRunId, wireThreadId } from "./run-wire.ts";
import { prepareRun, type RunCaller, startThreadRun } from "./start-thread-run.ts";
import { positionOf, streamResumed, streamRun } from "./stream-run.ts";
import { findThread, type Thread, threadView } from "./thread.ts";
import { threadRuns } from "./thread-messages.ts";

const change = z.object({ metadata });
const submission = z.object({
  tool_outputs: z
    .array(z.object({ tool_call_id: z.string().min(1), output: z.string().nullish() }))
    .min(1, "expected at least one output."),
  stream: z.boolean().nullish(),
});

/** Routes of the runs of threads, and of their steps. */
export function threadRunRoutes(services: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, limits } = services;
  const { store } = runs;
  const { suspendedMs } = limits;

  const find = (context: Context<Environment>): Promise<Thread> =>
    findThread(store, { owner: context.get("principal"), id: context.req.param("id") ?? "" });
  const findRun = async (context: Context<Environment>): Promise<FoundRun> => {
    const thread = await find(context);
    const id = context.req.param("runId") ?? "";
    const { owner, id: conversationId } = thread.conversation;
    const run = id.startsWith("run_")
      ? await store.getRun({ owner, id: id.replace(/^run_/, "resp_") })
      : undefined;
    const wire = run && runWire(run);
    if (wire === undefined || run?.conversationId !== conversationId) throw notFound("run", id);
    return { thread, run, wire };
  };
  const sourcesOf = (context: Context<Environment>) => ({
    origins: [new URL(context.req.url).origin],
    hosted: availableTypes(services.hostedTools),
  });
  const callerOf = (context: Context<Environment>): RunCaller => ({
    owner: context.get("principal"),
    mayApprove: mayApprove(context),
    headers: passedHeaders(context.req.raw.headers, services.passedHeaders),
  });
  /** Reads a run as it is after a change. */
  const viewAfter = async ({ run, wire }: Pick<FoundRun, "run" | "wire">) => {
    const now = await store.getRun({ owner: run.owner, id: run.id });
    return readRunView(store, now ?? run, { wire, suspendedMs });
  };
  const streamed = (
    { run }: Pick<FoundRun, "run">,
    release: () => void,
    chunksOf: (signal: AbortSignal) => AsyncIterable<string>,
  ): Response => {
    const stop = new AbortController();
    return eventStream({
      chunks: chunksOf(stop.signal),
      idleMs: limits.heartbeatMs,
      onIdle: () => {
        runs.heartbeat(run);
        return ": waiting\n\n";
      },
      // The run continues without its client, which can read it later.
      onLeave: () => stop.abort(),
      onEnd: release,
    });
  };

  /** Starts a run, or finds the one that the same request started before. */
  const start = async (
    context: Context<Environment>,
    { isStream, begin }: StartOptions,
  ): Promise<Response> => {
    const owner = context.get("principal");
    const release = isStream ? budget.takeStream(owner) : undefined;
    try {
      const run = mayRepeat(context)
        ? await startOnce(services, context, { start: begin })
        : await begin();
      const wire = runWire(run);
      if (wire === undefined) throw notFound("run", run.id);
      releaseBody(context);
      if (release === undefined)
        return context.json(await readRunView(store, run, { wire, suspendedMs }));
      const thread = context.req.path.endsWith("/threads/runs")
        ? threadView(
            await findThread(store, {
              owner,
              id: (run.conversationId ?? "").replace(/^conv_/, "thread_"),
            }),
          )
        : undefined;
      const options = { store, run, wire, suspendedMs, ...(thread && { thread }) };
      return streamed({ run }, release, (signal) => streamRun({ ...options, signal }));
    } catch (thrown) {
      release?.();
      throw thrown;
    }
  };

  routes.post("/runs", async (context) => {
    const parsed = parseThreadRun(await readJson(context), sourcesOf(context));
    const owner = context.get("principal");
    const caller = callerOf(context);
    const prepared = await prepareRun(services, caller, parsed.run);
    await requireThreadFiles(services, owner, parsed.thread);
    return start(context, {
      isStream: parsed.run.stream,
      begin: async (key) => {
        // If a first try failed after it created the thread, a repeat uses that thread.
        const id = await createOnce(
          services,
          context,
          (claim) => createThread(services, owner, parsed.thread, { claim }),
          { part: "thread" },
        );
        const thread = await findThread(store, { owner, id: wireThreadId(id) });
        return startThreadRun(services, { ...caller, key }, { thread, prepared }).catch(
          (thrown: unknown) => {
            // Another try has started the run.
            const isTaken = thrown instanceof RequestError && thrown.code === "active_run";
            throw isTaken && key !== undefined ? conflict(thrown.message) : thrown;
          },
        );
      },
    });
  });

  routes.get("/:id/runs", async (context) => {
    const thread = await find(context);
    const { owner } = thread.conversation;
    const query = readPageQuery(context);
    const page = await pageOf(query, shownRuns(threadRuns(store, thread).list(query.order)));
    const data = await Promise.all(
      page.data.map(({ run, wire }) => readRunView(store, run, { wire, suspendedMs })),
    );
    const view = { ...page, data };
    return streamJson(jsonChunks(view), budget.take(owner, bytesOf(view)));
  });

  routes.post("/:id/runs", async (context) => {
    const thread = await find(context);
    const request = parseRun(await readJson(context), sourcesOf(context));
    const caller = callerOf(context);
    const prepared = await prepareRun(services, caller, request);
    return start(context, {
      isStream: request.stream,
      begin: (key) => startThreadRun(services, { ...caller, key }, { thread, prepared }),
    });
  });

  routes.get("/:id/runs/:runId", async (context) => {
    const { run, wire } = await findRun(context);
    return context.json(await readRunView(store, run, { wire, suspendedMs }));
  });

  routes.post("/:id/runs/:runId", async (context) => {
    const { run, wire } = await findRun(context);
    const body = objectBody(await readJson(context));
    rejectUnknown(body, change.shape);
    const { metadata: given } = checked(change, body, "");
    if (given != null) {
      const write = changeOf(run, { metadata: given });
      const [outcome] = await store.write([write]);
      if (outcome.status !== "saved_object") throw notFound("run", wireRunId(run.id));
    }
    return context.json(await readRunView(store, run, { wire, suspendedMs }));
  });

  routes.post("/:id/runs/:runId/cancel", async (context) => {
    const found = await findRun(context);
    const { run } = found;
    if (isClosing(run.status)) throw ended(run);
    await runs.cancel(run);
    return context.json(await viewAfter(found));
  });

  routes.post("/:id/runs/:runId/submit_tool_outputs", async (context) => {
    const found = await findRun(context);
    const { run, wire } = found;
    const body = objectBody(await readJson(context));
    rejectUnknown(body, submission.shape);
    const { tool_outputs: given, stream } = checked(submission, body, "");
    const outputs = clientOutputs(given, limits.toolOutputChars);
    if (stream !== true) {
      await submit(services, run, outputs);
      return context.json(await viewAfter(found));
    }
    const release = budget.takeStream(run.owner);
    try {
      const position = await positionOf(store, run);
      await submit(services, run, outputs);
      releaseBody(context);
      return streamed(found, release, (signal) =>
        streamResumed({ store, run, wire, suspendedMs, signal }, position),
      );
    } catch (thrown) {
      release();
      throw thrown;
    }
  });

  routes.get("/:id/runs/:runId/steps", async (context) => {
    const { run } = await findRun(context);
    const query = readPageQuery(context);
    const { page, release } = await budget.readOneByOne(run.owner, async () => {
      const steps = (await readRunObjects(store, run)).steps();
      const found = await pageOf(query, query.order === "asc" ? steps : steps.toReversed());
      return { page: found, release: budget.take(run.owner, bytesOf(found)) };
    });
    return streamJson(jsonChunks(page), release);
  });

  routes.get("/:id/runs/:runId/steps/:stepId", async (context) => {
    const { run } = await findRun(context);
    const id = context.req.param("stepId");
    const steps = (await readRunObjects(store, run)).steps();
    const step = steps.find((each) => each.id === id);
    if (step === undefined) throw notFound("step", id);
    return context.json(step);
  });

  return routes;
}

/** Yields the runs that this API started. */
async function* shownRuns(runs: AsyncIterable<RunRecord>) {
  for await (const run of runs) {
    const wire = runWire(run);
    if (wire !== undefined) yield { id: wireRunId(run.id), run, wire };
  }
}

interface FoundRun {
  readonly thread: Thread;
  readonly run: RunRecord;
  readonly wire: RunWire;
}

interface StartOptions {
  readonly isStream: boolean;
  readonly begin: (key?: RequestKey) => Promise<RunRecord>;
}

function changeOf(
  { owner, id, conversationId }: RunRecord,
  data: RunChange,
): Extract<StoreWrite, { type: "save-thread-object" }> {
  return {
    type: "save-thread-object",
    owner,
    id: wireRunId(id),
    conversationId: conversationId ?? "",
    kind: "run",
    data: { ...data },
  };
}

function ended({ id, status }: RunRecord): RequestError {
  const message = `The run ${wireRunId(id)} is ${status}, so it cannot be cancelled.`;
  return badRequest("run_id", message);
}

function clientOutputs(
  given: z.output<typeof submission>["tool_outputs"],
  maxChars: number,
): readonly ClientOutput[] {
  const outputs = given.map(({ tool_call_id: callId, output }) => ({
    callId,
    output: output ?? "",
  }));
  const seen = new Set<string>();
  for (const [index, { callId, output }] of outputs.entries()) {
    const at = `tool_outputs[${index}]`;
    if (seen.has(callId))
      throw badRequest(
        `${at}.tool_call_id`,
        `Invalid '${at}.tool_call_id': '${callId.slice(0, 100)}' occurs twice. Send one output for each call.`,
      );
    seen.add(callId);
    if (output.length > maxChars)
      throw tooLong(
        `${at}.output`,
        `Invalid '${at}.output': ${output.length} characters. The limit is ${maxChars}. Nothing was stored, and the run still waits.`,
      );
  }
  return outputs;
}

async function submit(
  { runs }: Services,
  run: RunRecord,
  outputs: readonly ClientOutput[],
): Promise<void> {
  const outcome = await runs.submitOutputs(run.owner, run.id, outputs);
  if (outcome.status === "not_found") throw notFound("run", wireRunId(run.id));
  if (outcome.status !== "refused") return;
  const index = outputs.findIndex(({ callId }) => callId === outcome.callId);
  if (outcome.known) throw conflict(`${outcome.reason} Nothing of this request was stored.`);
  const at = `tool_outputs[${index}].tool_call_id`;
  throw badRequest(at, `Invalid '${at}': ${outcome.reason} Nothing of this request was stored.`);
}
