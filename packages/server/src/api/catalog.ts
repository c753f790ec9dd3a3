import { type Context, Hono } from "hono";
import type { Tool, ToolGroup } from "@capstan/core";
import { type ModelEntry, titleOf } from "@capstan/core/host";
import { inTurns, jsonChunks } from "@capstan/core/base";
import type {
  AgentBody,
  ConnectionService,
  ModelView,
  ServerInfo,
  ToolGroupView,
  ToolView,
} from "@capstan/contract";
import { ruleFor } from "@capstan/store";
import { agentName, assistantId } from "../runs/request/agent.ts";
import type { Environment, Services } from "../http/services.ts";
import { RequestError } from "../http/errors.ts";
import { listView } from "../http/records.ts";
import { nextTurn, streamJson, turnMs } from "../http/streams.ts";

/** Routes that list the models and tools, and describe the server. */
export function catalogRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { models, agents, runs, groups, version, authentication, approvalsFrom } = services;

  routes.get("/capstan", async (context) => {
    const { id, reason } = models.default;
    const isAdmin = context.get("rights").includes("admin");
    const { days, megabytes } = ruleFor(services.retention ?? {}, context.get("principal"));
    return context.json({
      object: "capstan",
      version,
      model: { id, reason },
      authentication,
      approvals_from: approvalsFrom(),
      rights: context.get("rights"),
      scripts: services.scripts !== undefined && isAdmin,
      retention: { days: days ?? null, megabytes: megabytes ?? null },
      providers: services.providers !== undefined && isAdmin,
      configuration_waits: isAdmin && (await services.configurationWaits?.()) === true,
      sharing: services.sharing === true,
    } satisfies ServerInfo);
  });

  /**
   * The agents of the configuration, and the user's own agents and assistants, as models: a request
   * can name all of them.
   */
  const agentViews = async (context: Context<Environment>): Promise<readonly ModelView[]> => {
    const own = await runs.store.listAgents({ owner: context.get("principal") });
    const all = [
      ...Object.entries(agents).map(([name, { title }]) => ({
        name,
        title,
        createdAt: 0,
        reason: "it is an agent of the configuration",
      })),
      ...own.flatMap((entry) => {
        if (!("name" in entry) || Object.hasOwn(agents, entry.name)) return [];
        if (agentName.test(entry.name))
          return [
            { ...entry, title: (entry.agent as AgentBody).title, reason: "it is your agent" },
          ];
        const { assistant } = entry.agent as { readonly assistant?: { readonly name?: unknown } };
        const title = typeof assistant?.name === "string" ? assistant.name : undefined;
        return assistantId.test(entry.name)
          ? [{ ...entry, title, reason: "it is your assistant" }]
          : [];
      }),
    ];
    return all.map(({ name, title = name, createdAt, reason }) => ({
      id: name,
      object: "model",
      created: Math.floor(createdAt / 1_000),
      owned_by: "capstan",
      title,
      reason,
      default: name === context.get("defaultAgent"),
    }));
  };

  const modelView =
    (context: Context<Environment>) =>
    ({ id, title, owner, reason }: ModelEntry): ModelView => ({
      id,
      object: "model",
      created: 0,
      owned_by: owner,
      title,
      reason,
      default: id === models.default.id && context.get("defaultAgent") === undefined,
    });

  routes.get("/models", async (context) => {
    const entries = await models.list(context.req.raw.signal);
    const shown = entries.map(modelView(context));
    return context.json(listView([...shown, ...(await agentViews(context))]));
  });

  // Ids contain slashes: `openai/gpt-5.5`.
  routes.get("/models/:id{.+}", async (context) => {
    const id = context.req.param("id");
    const name = id.replace(/^agent\//, "");
    const agent = (await agentViews(context)).find((view) => view.id === name);
    if (agent !== undefined) return context.json(agent);
    const entries = await models.list(context.req.raw.signal);
    const found = entries.find((entry) => entry.id === id)?.id ?? (await models.find(id))?.id;
    if (found === undefined) throw unknownModel(id, entries);
    const unlisted = { id: found, title: found, owner: found.split("/")[0] ?? "", reason: "" };
    return context.json(
      modelView(context)(entries.find((entry) => entry.id === found) ?? unlisted),
    );
  });

  routes.get("/tools", async () => {
    const states = services.connections?.states();
    const views: ToolGroupView[] = [];
    for (const group of groups())
      views.push(await inTurns(groupSteps(group, services, states), { turnMs, nextTurn }));
    return streamJson(jsonChunks(listView(views, false, ({ name }) => name)));
  });

  return routes;
}

function unknownModel(id: string, entries: readonly ModelEntry[]): RequestError {
  const known = entries.map((entry) => entry.id).slice(0, 20);
  const message = `The model '${id.slice(0, 100)}' does not exist here. There are: ${known.join(", ")}.`;
  return new RequestError({ status: 404, param: "model", code: "model_not_found", message });
}

type States = ReturnType<ConnectionService["states"]>;

/** Creates the view of a group in steps of one tool each: some tools make their schemas now. */
function* groupSteps(
  group: ToolGroup,
  services: Services,
  states: States | undefined,
): Generator<void, ToolGroupView> {
  const connection = states?.get(group.name);
  const tools: ToolView[] = [];
  for (const tool of group.tools) {
    tools.push(toolView(group, tool, services));
    yield;
  }
  return {
    name: group.name,
    object: "tool_group",
    title: titleOf(group),
    description: group.description ?? "",
    default_enabled: services.groupDefaults[group.name] ?? true,
    ...(connection && { connection }),
    tools,
  };
}

/** Returns the missing requirements of a tool in the form of the API, or null if there are none. */
function unavailableView({ unavailable }: Tool): ToolView["unavailable"] {
  if (unavailable === undefined) return null;
  return { needs: unavailable.needs, fix: unavailable.fix ?? null };
}

function toolView(group: ToolGroup, tool: Tool, { toolDefaults }: Services): ToolView {
  const { name, description = "", parameters = { type: "object" } } = tool.definition.function;
  const id = `${group.name}.${name}`;
  const policy = tool.permission?.executionPolicy ?? "ask-once";
  return {
    id,
    name,
    description,
    parameters,
    default_enabled: toolDefaults[id] ?? true,
    always_offered: tool.alwaysOffered === true,
    execution: typeof policy === "function" ? "depends" : policy,
    unavailable: unavailableView(tool),
  };
}
