import type { Context } from "hono";
import type { RunRecord, Store } from "@capstan/store";
import type { Environment, Services } from "./services.ts";
import { notFound } from "./request-error.ts";

type OfRun = Context<Environment>;

/** The run that a path names, among those that are kept. */
export function findRun({ runs }: Services, context: OfRun): Promise<RunRecord> {
  return read(runs.store, context);
}

/** One that is not kept, too: it cannot be read, but what it waits for is answered, and it is stopped. */
export function findAnyRun({ runs }: Services, context: OfRun): Promise<RunRecord> {
  return read(runs.stores.of(context.req.param("id") ?? ""), context);
}

async function read(store: Store, context: OfRun): Promise<RunRecord> {
  const id = context.req.param("id") ?? "";
  const run = await store.getRun({ owner: context.get("principal"), id });
  if (run === undefined) throw notFound("run", id);
  return run;
}
