import type { ModelCatalog } from "@capstan/core/host";
import { Hono } from "hono";
import { z } from "zod";
import type { RunStatus, RunView } from "@capstan/contract";
import { type RunRecord, type Store, transitions } from "@capstan/store";
import { recordCallOutcome } from "../runs/record-call-outcome.ts";
import { findRequestedModel, oneCallModelId } from "../runs/active/launch.ts";
import { approvalView } from "./approval-view.ts";
import { callView } from "./call-view.ts";
import type { Environment, Services } from "../http/services.ts";
import { entryView, findAnyRun, findRun, listView } from "../http/records.ts";
import { readBody, readNumber } from "../http/read-body.ts";
import { badRequest, conflict, notFound } from "../http/errors.ts";
import { runEvents } from "./run-events.ts";
import { runView } from "./run-view.ts";
import { submitToolOutputs } from "./tool-outputs.ts";

/** Runs as they are: their events are the loop's own. Another owner's are not there. */
export function runRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, models } = services;
  const { store } = runs;

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const { status, conversation: conversationId, after, outcome } = context.req.query();
    if (outcome !== undefined && outcome !== "unknown")
      throw badRequest("outcome", `outcome: expected unknown, got "${outcome.slice(0, 40)}".`);
    if (after !== undefined && (await store.getRun({ owner, id: after })) === undefined)
      throw badRequest("after", `after: there is no run "${after.slice(0, 100)}" here.`);
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
    runEvents(services, context, await findRun(services, context)),
  );

  routes.get("/:id/calls", async (context) => {
    const run = await findRun(services, context);
    const calls = await store.readCalls({ owner: run.owner, runId: run.id });
    return context.json(listView((calls ?? []).map(callView)));
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
    const by = context.get("principal");
    const found = { answer, by, at: Date.now(), ...(note != null && { note }) };
    const outcome = await recordCallOutcome(runs.stores.of(run.id), run, callId, found);
    if (outcome.status !== "refused")
      return context.json(callView({ runId: run.id, call: outcome.call, updatedAt: found.at }));
    if (outcome.call === undefined) throw notFound("call", callId);
    throw conflict(`It is known what became of this call: it is ${outcome.call.status}.`);
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
    const { model: wanted } = await readBody(context, z.object({ model: z.string().nullish() }));
    const outcome = await runs.retry(run, await retryModel(models, run, wanted ?? undefined));
    if (outcome.status === "conflict") throw conflict(outcome.message);
    return context.json(runView(outcome.run));
  });

  return routes;
}

/** Which model carries a run on: its own, or the one that is asked for. */
async function retryModel(
  models: ModelCatalog,
  run: RunRecord,
  wanted: string | undefined,
): Promise<string> {
  if (run.model !== oneCallModelId) {
    const model = await findRequestedModel(models, wanted ?? run.model);
    if (model !== undefined) return model.id;
    throw badRequest("model", `model: there is no "${wanted ?? run.model}" here.`);
  }
  // By its model it is known as a person's.
  if (wanted === undefined) return run.model;
  throw badRequest("model", "model: a person's own call asks no model. Leave `model` out.");
}

const outcomeBody = z.object({
  outcome: z.enum(["happened", "did_not_happen", "run_again"]),
  note: z.string().max(2_000).nullish(),
});

/** A run as it is now, after something was done with it. */
async function viewAfter(store: Store, before: RunRecord): Promise<RunView> {
  const { owner, id } = before;
  return viewOf(store, (await store.getRun({ owner, id })) ?? before);
}

/** A run as it was read, without those of its client's calls whose outputs are here. */
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
