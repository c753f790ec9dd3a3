import { Hono } from "hono";
import type { Tool, ToolGroup } from "@capstan/core";
import { titleOf } from "@capstan/core/host";
import type { ModelView, ServerInfo, ToolGroupView, ToolView } from "@capstan/contract";
import type { Environment, Services } from "../http/services.ts";
import { listView } from "../http/records.ts";

/** Routes that list the models and tools, and describe the server. */
export function catalogRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { models, groups, version, authentication, approvalsFrom } = services;

  routes.get("/capstan", async (context) => {
    const { id, reason } = models.default;
    const isAdmin = context.get("rights").includes("admin");
    return context.json({
      object: "capstan",
      version,
      model: { id, reason },
      authentication,
      approvals_from: approvalsFrom,
      rights: context.get("rights"),
      scripts: services.scripts !== undefined && isAdmin,
      configuration_waits: isAdmin && (await services.configurationWaits?.()) === true,
    } satisfies ServerInfo);
  });

  routes.get("/models", async (context) => {
    const entries = await models.list(context.req.raw.signal);
    const data = entries.map(({ id, title, owner, reason }): ModelView => ({
      id,
      object: "model",
      created: 0,
      owned_by: owner,
      title,
      reason,
      default: id === models.default.id,
    }));
    return context.json(listView(data));
  });

  routes.get("/tools", (context) =>
    context.json(
      listView(
        groups().map((group) => groupView(group, services)),
        false,
        ({ name }) => name,
      ),
    ),
  );

  return routes;
}

function groupView(group: ToolGroup, services: Services): ToolGroupView {
  return {
    name: group.name,
    object: "tool_group",
    title: titleOf(group),
    description: group.description ?? "",
    default_enabled: services.groupDefaults[group.name] ?? true,
    tools: group.tools.map((tool) => toolView(group, tool, services)),
  };
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
  };
}
