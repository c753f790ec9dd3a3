import { Hono } from "hono";
import { type JsonObject, ruleProblems } from "@capstan/core";
import { nearestNames } from "@capstan/core/host";
import type { OverrideChange, OverrideDeleted } from "@capstan/contract";
import type { Environment, Services } from "../http/services.ts";
import { listView } from "../http/records.ts";
import { overrideViews } from "./override-view.ts";
import { readJson } from "../http/read-body.ts";
import { badRequest, notFound } from "../http/errors.ts";

/** A user's own rules: listed, changed one word at a time, reset. */
export function overrideRoutes({ runs, groups, rules }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const toolIdsNow = () =>
    groups().flatMap(({ name, tools }) =>
      tools.map(({ definition }) => `${name}.${definition.function.name}`),
    );
  const knownNow = () => ["*", ...groups().map(({ name }) => `${name}.*`), ...toolIdsNow()];
  const viewsNow = () => overrideViews({ rules, toolIds: toolIdsNow() });

  routes.get("/", async (context) => {
    const all = await runs.store.listOverrides({ owner: context.get("principal") });
    return context.json(listView(all.map(viewsNow())));
  });

  routes.put("/", async (context) => {
    const owner = context.get("principal");
    const { tool, when, ...change } = readChange(await readJson(context));
    const known = knownNow();
    if (!known.includes(tool)) {
      const [near] = nearestNames(tool, known, 1);
      const hint = near === undefined ? "" : ` Did you mean ${near}?`;
      throw badRequest("tool", `tool: there is no tool or group "${tool}" here.${hint}`);
    }
    const about = when === undefined ? { tool } : { tool, when };
    const outcome = await runs.overrides.write({
      type: "change-override",
      owner,
      ...about,
      change,
    });
    if (outcome.status === "refused") throw badRequest("tool", outcome.reason);
    if (outcome.status !== "updated") throw notFound("override", tool);
    return context.json(
      outcome.override === undefined ? resetView(outcome.id) : viewsNow()(outcome.override),
    );
  });

  routes.delete("/:id", async (context) => {
    const owner = context.get("principal");
    const id = context.req.param("id");
    const outcome = await runs.overrides.write({ type: "reset-override", owner, id });
    if (outcome.status !== "updated") throw notFound("override", id);
    return context.json(resetView(id));
  });

  return routes;
}

/** What a word is checked as that is null, which takes it back. */
const samples: JsonObject = { execution: "auto", result: "never", approvalMs: 1, reason: "none" };

function readChange(body: unknown): OverrideChange {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badRequest("request", "The body is not an object.");
  const given = Object.entries(body as JsonObject);
  const checked = given.map(([key, value]) => [key, value ?? samples[key] ?? null] as const);
  // What only takes back says nothing itself, which no rule may.
  const isReset = given.some(([, value]) => value === null);
  const [problem] = ruleProblems({
    ...(isReset && { execution: "auto" }),
    ...Object.fromEntries(checked),
  });
  if (problem === undefined) return body as OverrideChange;
  const param = problem.path.join(".") || "request";
  throw badRequest(param, `${param}: ${problem.message}.`);
}

function resetView(id: string): OverrideDeleted {
  return { id, object: "override.deleted", deleted: true };
}
