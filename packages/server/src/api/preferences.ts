import type { PreferencesView } from "@capstan/contract";
import type { JsonObject } from "@capstan/core";
import type { Store } from "@capstan/store";
import { Hono } from "hono";
import { z } from "zod";
import { conflict } from "../http/errors.ts";
import { readBody, withoutNulls } from "../http/read-body.ts";
import { corrupt, unlessCorrupt } from "../http/records.ts";
import { requireSwitchRight } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";

/**
 * The preferences of a user are stored next to the user's agents, under a name that no agent and no
 * assistant can have.
 */
const recordName = ".preferences";

const maxSwitches = 2_000;
const switches = z
  .record(z.string().max(200), z.boolean())
  .refine((given) => Object.keys(given).length <= maxSwitches, {
    error: `expected at most ${maxSwitches} entries.`,
  });

const preferencesBody = z.strictObject({
  switches: z.strictObject({ groups: switches, tools: switches }).nullish(),
  favorite_models: z.array(z.string().max(200)).max(200).nullish(),
  instructions: z.string().max(20_000).nullish(),
});

const stored = z.object({
  switches: z.object({ groups: switches, tools: switches }).catch({ groups: {}, tools: {} }),
  favorite_models: z.array(z.string()).catch([]),
  instructions: z.string().catch(""),
});

/** Routes of a user's preferences. */
export function preferenceRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = services.runs;

  routes.get("/", async (context) =>
    context.json((await read(store, context.get("principal"))).view),
  );

  routes.put("/", async (context) => {
    const owner = context.get("principal");
    const change = withoutNulls(await readBody(context, preferencesBody));
    requireSwitchRight(context, services, change.switches?.groups);
    for (let tries = 0; tries < 3; tries++) {
      const { view, isNew } = await read(store, owner);
      const next: PreferencesView = { ...view, ...change };
      const agent = next as unknown as JsonObject;
      const write = { type: "save-agent", owner, name: recordName, agent, isNew } as const;
      const [outcome] = await store.write([write]);
      if (outcome.status === "updated") return context.json(next);
      // The first rejection can mean that another request has just created the preferences. A user
      // with too many agents is rejected again.
      if (outcome.status === "refused" && tries > 0) throw conflict(outcome.reason);
    }
    throw conflict("Another request changed your preferences. Try again.");
  });

  return routes;
}

/** Reads the preferences of a user. Corrupt preferences count as not set. */
async function read(
  store: Pick<Store, "getAgent">,
  owner: string,
): Promise<{ readonly view: PreferencesView; readonly isNew: boolean }> {
  const found = await unlessCorrupt(() => store.getAgent({ owner, name: recordName }));
  const record = found === corrupt || found === undefined ? {} : found.agent;
  const view = { object: "preferences", ...stored.parse(record) } as const;
  return { view, isNew: found === undefined };
}
