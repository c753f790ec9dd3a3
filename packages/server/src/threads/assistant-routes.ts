import { type Context, Hono } from "hono";
import { newId } from "@capstan/core/host";
import { conflict, notFound, RequestError } from "../http/errors.ts";
import { requireKnownGroups } from "../http/parse-tool.ts";
import { readJson } from "../http/read-body.ts";
import { entryView } from "../http/records.ts";
import { mayApprove, requireNoLoosening } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";
import { findRequestedModel } from "../runs/active/run-models.ts";
import { assistantId } from "../runs/request/agent.ts";
import {
  type Assistant,
  assistantView,
  findAssistant,
  ownAssistant,
  storedAssistant,
} from "./request/assistant.ts";
import { availableTypes } from "./request/hosted-tools.ts";
import { pageOf, readPageQuery } from "./list-page.ts";
import { parseAssistant, type ParsedAssistant } from "./request/parse-assistant.ts";
import { requireFiles } from "./require-files.ts";
import { unknownModel } from "./unknown-model.ts";

/** Routes of assistants: agents with the fields of OpenAI's Assistants API. */
export function assistantRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, models, groups } = services;
  const { store } = runs;

  const find = async (context: Context<Environment>): Promise<Assistant> => {
    const id = context.req.param("id") ?? "";
    const owner = context.get("principal");
    const assistant = await findAssistant(services, { owner, id });
    if (assistant === undefined) throw notFound("assistant", id);
    return assistant;
  };

  /** Parses an assistant of a request, and checks everything that it names. */
  const parse = async (
    context: Context<Environment>,
    before?: Assistant,
  ): Promise<ParsedAssistant> => {
    const parsed = parseAssistant(await readJson(context), {
      before,
      origins: [new URL(context.req.url).origin],
      hosted: availableTypes(services.hostedTools),
    });
    if (!mayApprove(context)) requireNoLoosening(parsed);
    requireKnownGroups(groups(), parsed.servers);
    const { model, tool_resources: resources } = parsed.fields;
    if ((await findRequestedModel(models, model)) === undefined) throw unknownModel(model);
    const owner = context.get("principal");
    const files = resources?.code_interpreter?.file_ids ?? [];
    await requireFiles(store, { owner, ids: files, at: "tool_resources" });
    return parsed;
  };

  const save = async (
    context: Context<Environment>,
    name: string,
    { agent, fields, isNew }: ParsedAssistant & { readonly isNew: boolean },
  ) => {
    const owner = context.get("principal");
    const stored = storedAssistant(agent, fields);
    const write = { type: "save-agent", owner, name, agent: stored, isNew } as const;
    const [outcome] = await store.write([write]);
    if (outcome.status === "refused") throw conflict(outcome.reason);
    if (outcome.status !== "updated") throw notFound("assistant", name);
    return context.json(assistantView(ownAssistant(outcome.agent)));
  };

  routes.get("/", async (context) => {
    const all = (await store.listAgents({ owner: context.get("principal") }))
      .filter((entry) => assistantId.test("name" in entry ? entry.name : entry.id))
      .toSorted((a, b) => timeOf(a) - timeOf(b));
    const views = all.map((entry) =>
      entryView(entry, (record) => assistantView(ownAssistant(record))),
    );
    const query = readPageQuery(context);
    return context.json(await pageOf(query, query.order === "asc" ? views : views.toReversed()));
  });

  routes.post("/", async (context) => {
    const parsed = await parse(context);
    return save(context, newId("asst_"), { ...parsed, isNew: true });
  });

  routes.get("/:id", async (context) => context.json(assistantView(await find(context))));

  routes.post("/:id", async (context) => {
    const before = await find(context);
    if (!before.isOwn) throw readOnly(before.id);
    const parsed = await parse(context, before);
    return save(context, before.id, { ...parsed, isNew: false });
  });

  routes.delete("/:id", async (context) => {
    const id = context.req.param("id");
    const owner = context.get("principal");
    if (!assistantId.test(id)) {
      const { isOwn } = await find(context);
      if (!isOwn) throw readOnly(id);
    }
    const [outcome] = await store.write([{ type: "delete-agent", owner, name: id }]);
    if (outcome.status !== "removed") throw notFound("assistant", id);
    return context.json({ id, object: "assistant.deleted", deleted: true });
  });

  return routes;
}

function timeOf(entry: object): number {
  return "createdAt" in entry ? Number(entry.createdAt) : 0;
}

function readOnly(id: string): RequestError {
  const message = `'${id.slice(0, 100)}' is an agent, which this API only reads. Change it with PUT /v1/agents/NAME or in the configuration, or create an assistant.`;
  return new RequestError({ status: 409, code: "assistant_is_agent", param: "id", message });
}
