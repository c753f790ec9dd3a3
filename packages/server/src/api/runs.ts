import type { AwaitedView, CallView, RunEvent, RunStatus, RunView } from "@capstan/contract";
import type { ChainError } from "@capstan/core";
import type { ClientOutput } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import {
  type CallEntry,
  followEvents,
  isClosing,
  type ListedRun,
  type RequestKey,
  requestOf,
  type RunRecord,
  type Store,
  transitions,
} from "@capstan/store";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { approvalView } from "./approvals.ts";
import { inputView } from "../http/files/input-view.ts";
import { badRequest, conflict, notFound, tooLong } from "../http/errors.ts";
import { mayRepeat, readBody, readNumber, readWord } from "../http/read-body.ts";
import { startOnce } from "../http/request-keys.ts";
import { entryView, findAnyRun, findRun, listView, readRunCursor } from "../http/records.ts";
import { mayApprove, requireNoLoosening, rightMissing } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";
import { bytesOf, type MemoryBudget } from "../http/memory-budget.ts";
import { eventStream, sseChunks, streamJson } from "../http/streams.ts";
import { findRequestedModel, oneCallModelId } from "../runs/active/run-models.ts";
import { findAgent } from "../runs/request/agent.ts";
import { recordCallOutcome } from "../runs/record-call-outcome.ts";

/** Routes of runs, with the loop's own events. A run of another owner is a 404. */
export function runRoutes(services: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs } = services;
  const { store } = runs;

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const { status, conversation: conversationId } = context.req.query();
    const outcome = readWord(context, "outcome", ["unknown"]);
    const after = await readRunCursor(store, context);
    const page = await store.searchRuns({
      owner,
      limit,
      ...(status !== undefined && { statuses: statusesOf(status) }),
      ...(conversationId !== undefined && { conversationId }),
      ...(after !== undefined && { after }),
      ...(outcome !== undefined && { outcome }),
    });
    return context.json(
      listView(
        page.data.map((run) => runView(run)),
        page.hasMore,
      ),
    );
  });

  routes.get("/:id", async (context) => {
    const run = await findRun(services, context);
    return context.json(await viewOf(store, run));
  });

  routes.get("/:id/events", async (context) =>
    runEvents(services, context, { run: await findRun(services, context), budget }),
  );

  routes.get("/:id/calls", async (context) => {
    const run = await findRun(services, context);
    const calls = await store.readCalls({ owner: run.owner, runId: run.id });
    const view = listView((calls ?? []).map(callView));
    return streamJson(jsonChunks(view), budget.take(run.owner, bytesOf(view)));
  });

  routes.get("/:id/approvals", async (context) => {
    const run = await findAnyRun(services, context);
    const { owner, id: runId } = run;
    const { data } = await runs.stores.of(runId).listApprovals({ owner, runId, limit: 1_000 });
    return context.json(listView(data.map((entry) => entryView(entry, approvalView))));
  });

  routes.post("/:id/submit_tool_outputs", async (context) => {
    const run = await findAnyRun(services, context);
    await submitToolOutputs(services, context, run);
    return context.json(await viewAfter(runs.stores.of(run.id), run));
  });

  routes.post("/:id/cancel", async (context) => {
    const run = await findAnyRun(services, context);
    await runs.cancel(run);
    return context.json(await viewAfter(runs.stores.of(run.id), run));
  });

  routes.post("/:id/calls/:callId/outcome", async (context) => {
    const run = await findAnyRun(services, context);
    const callId = context.req.param("callId");
    const { outcome: answer, note } = await readBody(context, outcomeBody);
    if (answer === "run_again" && !mayApprove(context))
      throw rightMissing("approve", 'The outcome "run_again"');
    const by = context.get("principal");
    const found = { answer, by, at: Date.now(), ...(note != null && { note }) };
    const outcome = await recordCallOutcome(runs.stores.of(run.id), run, callId, found);
    if (outcome.status !== "refused")
      return context.json(callView({ runId: run.id, call: outcome.call, updatedAt: found.at }));
    if (outcome.call === undefined) throw notFound("call", callId);
    throw conflict(`The outcome of this call is known: it is ${outcome.call.status}.`);
  });

  routes.post("/:id/calls/:callId/cancel", async (context) => {
    const run = await findAnyRun(services, context);
    const callId = context.req.param("callId");
    if (!(await runs.cancelCall(run, callId)))
      throw conflict(`The call "${callId.slice(0, 100)}" is not open in this run.`);
    return context.json(runView(run));
  });

  routes.post("/:id/retry", async (context) => {
    const run = await findRun(services, context);
    if (!mayApprove(context)) requireNoLoosening(requestOf(run));
    const { model: wanted } = await readBody(context, z.object({ model: z.string().nullish() }));
    const model = await retryModel(services, run, wanted ?? undefined);
    const start = async (key?: RequestKey) => {
      const outcome = await runs.retry(run, model, key);
      if (outcome.status === "conflict") throw conflict(outcome.message);
      return outcome.run;
    };
    return context.json(
      runView(mayRepeat(context) ? await startOnce(services, context, { start }) : await start()),
    );
  });

  return routes;
}

/**
 * Returns the model for a retry: the requested one, or the run's own. If the request names an
 * agent, only the agent's model is used, because a retry repeats the run's request.
 */
async function retryModel(
  { models, agents: configured, runs: { store } }: Services,
  run: RunRecord,
  wanted: string | undefined,
): Promise<string> {
  if (run.model !== oneCallModelId) {
    const { owner } = run;
    const found =
      wanted === undefined
        ? undefined
        : await findAgent({ configured, store }, { owner, model: wanted });
    const ofAgent = found && (found.agent.model ?? models.default.id);
    const model = await findRequestedModel(models, ofAgent ?? wanted ?? run.model);
    if (model !== undefined) return model.id;
    throw badRequest("model", `model: there is no "${wanted ?? run.model}" here.`);
  }
  // This model id marks the run as a user's direct call.
  if (wanted === undefined) return run.model;
  throw badRequest("model", "model: a direct call uses no model. Leave `model` out.");
}

const outcomeBody = z.object({
  outcome: z.enum(["happened", "did_not_happen", "run_again"]),
  note: z.string().max(2_000).nullish(),
});

/** Returns a run as it is after a change. */
async function viewAfter(store: Store, before: RunRecord): Promise<RunView> {
  const { owner, id } = before;
  return viewOf(store, (await store.getRun({ owner, id })) ?? before);
}

/** Returns a run as the API shows it, without the client calls whose outputs are stored. */
async function viewOf(store: Store, run: RunRecord): Promise<RunView> {
  const { owner, id: runId } = run;
  const outputs = run.status === "requires_action" ? await store.listOutputs({ owner, runId }) : [];
  return runView(
    run,
    outputs.map(({ callId }) => callId),
  );
}

const runStatuses = (Object.keys(transitions) as (RunStatus | "none")[]).filter(
  (status) => status !== "none",
);

/** `requires_action` or `queued,in_progress`. */
function statusesOf(text: string): readonly RunStatus[] {
  return text.split(",").map((word) => {
    const status = runStatuses.find((known) => known === word.trim());
    if (status !== undefined) return status;
    const message = `status: expected one or more of ${runStatuses.join(", ")}, got "${word.slice(0, 40)}".`;
    throw badRequest("status", message);
  });
}

/**
 * Streams a run's stored events, then new ones. `Last-Event-ID` wins over `starting_after`:
 * a browser that reconnects sends it with its first URL.
 */
async function runEvents(
  { runs, limits }: Services,
  context: Context<Environment>,
  { run, budget }: { readonly run: RunRecord; readonly budget: MemoryBudget },
): Promise<Response> {
  const from = readNumber(context, "starting_after", { min: 0, otherwise: 0 });
  const after = lastEventId(context.req.header("last-event-id")) ?? from;
  // Browsers take this status as "do not reconnect".
  if (isClosing(run.status) && after >= run.lastSeq) return context.body(null, 204);
  const release = budget.takeStream(run.owner);
  const stop = new AbortController();
  const events = encoded(
    followEvents({
      store: runs.store,
      owner: run.owner,
      runId: run.id,
      after,
      signal: stop.signal,
    }),
  );
  const chunks = after < run.lastSeq ? await withFirstChunk(events, release) : events;
  return eventStream({
    chunks,
    idleMs: limits.heartbeatMs,
    onIdle: () => ": waiting\n\n",
    onLeave: () => stop.abort(),
    onEnd: release,
  });
}

/**
 * Reads the first chunk of a stream before its response begins, so that a corrupt row becomes an
 * error response. If the stream broke at its start, clients would reconnect forever.
 *
 * @param onFailure called if the chunk cannot be read
 */
async function withFirstChunk(
  chunks: AsyncIterable<string>,
  onFailure: () => void,
): Promise<AsyncIterable<string>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next().catch((thrown: unknown) => {
    onFailure();
    throw thrown;
  });
  let isRead = false;
  const next = () => {
    if (isRead) return iterator.next();
    isRead = true;
    return Promise.resolve(first);
  };
  // Not a generator: ending a generator that has not started would not end the source.
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** Returns the sequence number in the header, or undefined if the header is something else. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header);
}

async function* encoded(events: AsyncIterable<RunEvent>): AsyncGenerator<string> {
  for await (const event of events)
    yield* sseChunks(`id: ${event.seq}\nevent: ${event.type}\n`, event);
}

const body = z.object({
  tool_outputs: z
    .array(z.object({ tool_call_id: z.string().min(1), output: z.string() }))
    .min(1, "expected at least one output."),
});

/**
 * Stores the outputs of the client's tools: all outputs of the request, or none if one is invalid.
 */
export async function submitToolOutputs(
  { limits, runs }: Services,
  context: Context<Environment>,
  run: RunRecord,
): Promise<void> {
  const { tool_outputs: given } = await readBody(context, body);
  const outputs: ClientOutput[] = [];
  const seen = new Set<string>();
  for (const [index, { tool_call_id: callId, output }] of given.entries()) {
    const where = `tool_outputs.${index}`;
    if (seen.has(callId))
      throw badRequest(
        `${where}.tool_call_id`,
        `${where}.tool_call_id: "${callId.slice(0, 100)}" occurs twice; send one output per call.`,
      );
    if (output.length > limits.toolOutputChars)
      throw tooLong(
        `${where}.output`,
        `${where}.output: ${output.length} characters, the limit for one output is ${limits.toolOutputChars}. Nothing was stored, and the run still waits: send only the relevant part, or a reference to the full output.`,
      );
    seen.add(callId);
    outputs.push({ callId, output });
  }
  const outcome = await runs.submitOutputs(run.owner, run.id, outputs);
  if (outcome.status === "not_found") throw notFound("run", run.id);
  if (outcome.status !== "refused") return;
  const index = outputs.findIndex(({ callId }) => callId === outcome.callId);
  if (outcome.known) throw conflict(`${outcome.reason} Nothing of this request was stored.`);
  throw badRequest(
    `tool_outputs.${index}.tool_call_id`,
    `tool_outputs.${index}.tool_call_id: ${outcome.reason} GET /v1/runs/${run.id} lists in "waiting" the answers that it needs. Nothing of this request was stored.`,
  );
}

/** Returns the error for a run with unreadable rows. */
export const corrupt: ChainError = {
  code: "run_corrupt",
  message: `The stored data of this run cannot be read. "capstan db check" names the rows; restore the last backup, or delete the run.`,
  phase: "chain",
};

/**
 * A run as the API shows it.
 *
 * @param submitted the calls whose outputs are stored but not yet used: they are not listed as
 * waiting
 */
export function runView(run: ListedRun, submitted: readonly string[] = []): RunView {
  return {
    id: run.id,
    object: "run",
    conversation: run.conversationId,
    previous: run.parentId,
    status: run.status,
    waiting: run.status === "requires_action" ? awaited(run, submitted) : [],
    model: run.model,
    input: inputView(run.input),
    input_cut: run.isInputCut,
    created_at: run.createdAt,
    ended_at: run.endedAt,
    error: run.isCorrupt === true ? corrupt : (run.result?.error ?? null),
    usage: run.result?.usage ?? null,
    stats: run.result?.stats ?? null,
    last_seq: run.lastSeq,
    ...(run.kind === "edit" && { added: true }),
  };
}

function awaited({ result }: ListedRun, submitted: readonly string[]): readonly AwaitedView[] {
  return (result?.waiting ?? []).flatMap((one): readonly AwaitedView[] => {
    const { callId: call } = one;
    switch (one.type) {
      case "approval":
        return [{ type: "approval", call, approval: one.approval.id }];
      case "review":
        return [{ type: "review", call, approval: one.review.id }];
      case "client_call": {
        const { name, argumentsText } = one;
        if (submitted.includes(call)) return [];
        return [{ type: "client_call", call, name, arguments: argumentsText }];
      }
    }
  });
}

/** Returns a call as a row of the ledger, without a result that waits for review. */
export function callView({ runId, call, updatedAt }: CallEntry): CallView {
  const { quarantine: _hidden, callId, ...known } = call;
  return { id: callId, object: "call", run: runId, updated_at: updatedAt, ...known };
}
