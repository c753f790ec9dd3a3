import type { Context } from "hono";
import type { RunRecord } from "@capstan/store";
import type { RunService } from "../runs/run-service.ts";
import type { Environment, Services } from "./services.ts";
import { notFound } from "./request-error.ts";

type OfRun = Context<Environment>;

/** The run that a path names, among those that are kept. */
export async function findRun({ runs }: Services, context: OfRun): Promise<RunRecord> {
  const { run, id } = await read(runs, context);
  if (run === undefined) throw notFound("run", id);
  return run;
}

/** One that is not kept, too: it cannot be read, but what it waits for is answered, and it is stopped. */
export async function findAnyRun(
  { runs, ephemeral }: Services,
  context: OfRun,
): Promise<{ readonly service: RunService; readonly run: RunRecord }> {
  for (const service of [runs, ephemeral]) {
    const { run } = await read(service, context);
    if (run !== undefined) return { service, run };
  }
  throw notFound("run", context.req.param("id") ?? "");
}

async function read(service: RunService, context: OfRun) {
  const id = context.req.param("id") ?? "";
  return { id, run: await service.store.getRun({ owner: context.get("principal"), id }) };
}
