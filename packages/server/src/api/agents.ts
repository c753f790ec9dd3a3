import type { AgentBody, AgentDeleted, AgentView } from "@capstan/contract";
import type { JsonObject } from "@capstan/core";
import { nearestNames } from "@capstan/core/host";
import type { AgentRecord } from "@capstan/store";
import { type Context, Hono } from "hono";
import {
  badRequest,
  conflict,
  notFound,
  RequestError,
  wrongType,
  isObject,
} from "../http/errors.ts";
import { readJson, withoutNulls } from "../http/read-body.ts";
import { entryView, listView } from "../http/records.ts";
import { mayApprove, rightMissing } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";
import { findRequestedModel } from "../runs/active/run-models.ts";
import { type Agent, agentLoosens, agentName, agentSchema } from "../runs/request/agent.ts";

/** Routes of agents: those of the configuration, and the user's own. */
export function agentRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { agents: configured, runs, models, groups } = services;
  const isConfigured = (name: string) => Object.hasOwn(configured, name);
  const nameOf = (context: Context<Environment>) => context.req.param("name") ?? "";

  /** Returns the user's agents. Assistants are agents, too, but have routes of their own. */
  const listOwn = async (context: Context<Environment>) =>
    (await runs.store.listAgents({ owner: context.get("principal") })).filter((entry) =>
      agentName.test("name" in entry ? entry.name : entry.id),
    );

  /** Checks an agent of a request: its fields, its model, its groups and the caller's right. */
  async function readAgent(context: Context<Environment>, body: JsonObject): Promise<Agent> {
    const agent = parseAgent(body);
    if (agent.model !== undefined && (await findRequestedModel(models, agent.model)) === undefined)
      throw badRequest(
        "model",
        `model: there is no model "${agent.model}" here. GET /v1/models lists the models.`,
      );
    const known = groups().map(({ name }) => name);
    for (const [index, { group }] of (agent.groups ?? []).entries()) {
      if (known.includes(group)) continue;
      const [near] = nearestNames(group, known, 1);
      const hint = near === undefined ? "GET /v1/tools lists them." : `Did you mean ${near}?`;
      const param = `groups[${index}].group`;
      throw badRequest(param, `${param}: there is no tool group "${group}" here. ${hint}`);
    }
    if (agentLoosens(agent) && !mayApprove(context))
      throw rightMissing("approve", "An agent with 'require_approval': \"never\"");
    return agent;
  }

  async function save(
    context: Context<Environment>,
    {
      name,
      agent,
      isNew,
    }: { readonly name: string; readonly agent: Agent; readonly isNew: boolean },
  ): Promise<AgentView> {
    const owner = context.get("principal");
    const json = agent as unknown as JsonObject;
    const write = { type: "save-agent", owner, name, agent: json, isNew } as const;
    const [outcome] = await runs.store.write([write]);
    if (outcome.status === "refused") throw conflict(outcome.reason);
    if (outcome.status !== "updated") throw notFound("agent", name);
    return ownView(outcome.agent, false);
  }

  routes.get("/", async (context) => {
    const own = await listOwn(context);
    return context.json(
      listView([
        ...Object.entries(configured).map(([name, agent]) => configuredView(name, agent)),
        ...own.map((entry) =>
          entryView(entry, (record) => ownView(record, isConfigured(record.name))),
        ),
      ]),
    );
  });

  routes.post("/", async (context) => {
    const { name, ...body } = objectOf(await readJson(context));
    if (typeof name !== "string" || !agentName.test(name))
      throw badRequest("name", "name: expected 1 to 48 of the characters a-z, 0-9 and -.");
    if (isConfigured(name)) throw readOnly(name);
    const model = await models.find(name);
    if (model !== undefined)
      throw conflict(`The model ${model.id} has the name "${name}" already: choose another name.`);
    const agent = await readAgent(context, body);
    return context.json(await save(context, { name, agent, isNew: true }));
  });

  routes.get("/:name", async (context) => {
    const name = nameOf(context);
    const agent = isConfigured(name) ? configured[name] : undefined;
    if (agent !== undefined) return context.json(configuredView(name, agent));
    const owner = context.get("principal");
    const record = agentName.test(name) ? await runs.store.getAgent({ owner, name }) : undefined;
    if (record === undefined) throw notFound("agent", name);
    return context.json(ownView(record, false));
  });

  routes.put("/:name", async (context) => {
    const name = nameOf(context);
    if (isConfigured(name)) throw readOnly(name);
    const { name: repeated = name, ...body } = objectOf(await readJson(context));
    if (repeated !== name)
      throw badRequest("name", `name: an agent keeps its name "${name.slice(0, 100)}".`);
    // Another user's agent and one that does not exist have the same error, whatever the body is.
    if ((await listOwn(context)).every(isNot(name))) throw notFound("agent", name);
    const agent = await readAgent(context, body);
    return context.json(await save(context, { name, agent, isNew: false }));
  });

  routes.delete("/:name", async (context) => {
    const name = nameOf(context);
    const owner = context.get("principal");
    if (!agentName.test(name)) throw notFound("agent", name);
    const [outcome] = await runs.store.write([{ type: "delete-agent", owner, name }]);
    if (outcome.status !== "removed")
      throw isConfigured(name) ? readOnly(name) : notFound("agent", name);
    const body = { id: name, object: "agent.deleted", deleted: true } as const;
    return context.json(body satisfies AgentDeleted);
  });

  return routes;
}

function isNot(name: string) {
  return (entry: object) => ("name" in entry ? entry.name : "id" in entry && entry.id) !== name;
}

function objectOf(body: unknown): JsonObject {
  if (!isObject(body)) throw wrongType("request", "a JSON object", body ?? null);
  return withoutNulls(body) as JsonObject;
}

/** @throws RequestError that names the field, the expected and the given value */
function parseAgent(body: JsonObject): Agent {
  const parsed = agentSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const named = path.reduce<string>(
    (text, key) =>
      typeof key === "number"
        ? `${text}[${key}]`
        : text === ""
          ? String(key)
          : `${text}.${String(key)}`,
    "",
  );
  const param = named === "" ? "request" : named;
  const got = JSON.stringify(valueAt(body, path)) ?? "nothing";
  const shown = got.length > 60 ? `${got.slice(0, 57).toWellFormed()}…` : got;
  throw badRequest(param, `${param}: expected ${issue?.message ?? "an agent"}, got ${shown}.`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function readOnly(name: string): RequestError {
  const message = `The agent "${name}" is in the configuration of the server: its administrator changes it in capstan.config.json.`;
  return new RequestError({ status: 409, code: "agent_is_configured", param: "name", message });
}

function configuredView(name: string, agent: Agent): AgentView {
  return { ...viewOf(name, agent), source: "configuration" };
}

function ownView(
  { name, agent, createdAt, updatedAt }: AgentRecord,
  isOverridden: boolean,
): AgentView {
  return {
    ...viewOf(name, agent),
    source: "user",
    created_at: createdAt,
    updated_at: updatedAt,
    ...(isOverridden && { overridden: true }),
  };
}

function viewOf(name: string, agent: AgentBody): Omit<AgentView, "source"> {
  return { id: name, object: "agent", ...agent, title: agent.title ?? name };
}
