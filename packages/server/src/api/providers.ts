import type { ProviderOutcome, ProviderView } from "@capstan/contract";
import { Hono } from "hono";
import { z } from "zod";
import { badRequest, notFound, RequestError } from "../http/errors.ts";
import { readBody, withoutNulls } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";

const providerBody = z.strictObject({
  key: z.string().nullish(),
  url: z.string().nullish(),
  model: z.string().nullish(),
});

/** Routes of the providers of models. No response contains a key. */
export function providerRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const settings = () => {
    if (services.providers === undefined) throw noProviders;
    return services.providers;
  };

  routes.get("/", (context) => context.json(listView(settings().list())));

  routes.put("/:id", async (context) => {
    const providers = settings();
    const body = withoutNulls(await readBody(context, providerBody));
    const id = context.req.param("id");
    return context.json(saved(await providers.save(id, body, context.req.raw.signal), id));
  });

  routes.delete("/:id", (context) => {
    const id = context.req.param("id");
    return context.json(saved(settings().remove(id), id));
  });

  return routes;
}

function saved(outcome: ProviderOutcome, id: string): ProviderView {
  switch (outcome.status) {
    case "saved":
      return outcome.provider;
    case "not_found":
      throw notFound("provider", id);
    case "invalid":
      throw badRequest(outcome.field, `${outcome.field}: ${outcome.message}`);
    default:
      return outcome satisfies never;
  }
}

const noProviders = new RequestError({
  status: 404,
  code: "no_providers",
  message: "This server stores no providers: its environment configures them.",
});
