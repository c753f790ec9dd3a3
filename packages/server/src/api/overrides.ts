import type { OverrideChange, OverrideDeleted, OverrideView } from "@capstan/contract";
import {
  type JsonObject,
  overruled,
  type Overruled,
  type PolicyRule,
  ruleProblems,
} from "@capstan/core";
import { conditionsText, namesTool, nearestNames } from "@capstan/core/host";
import { overrideId, type OverrideRecord } from "@capstan/store";
import { Hono } from "hono";
import { badRequest, notFound } from "../http/errors.ts";
import { mayApprove, rightMissing } from "../http/rights.ts";
import { readJson } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";

/** Routes of a user's own rules: list them, change single fields, reset them. */
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
    if (!mayApprove(context)) {
      const id = overrideId(about);
      const mine = await runs.store.listOverrides({ owner });
      if (
        !tightens(
          change,
          mine.find((one) => one.id === id),
        )
      )
        throw rightMissing("approve", "A rule that may loosen another");
    }
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
    if (!mayApprove(context)) throw rightMissing("approve", "To remove a rule");
    const outcome = await runs.overrides.write({ type: "reset-override", owner, id });
    if (outcome.status !== "updated") throw notFound("override", id);
    return context.json(resetView(id));
  });

  return routes;
}

/**
 * Returns whether a change can only make rules stricter. This is true only of the strictest values:
 * a tool's rule precedes its group's rule, so any other value could replace a stricter one of the
 * group.
 */
function tightens(
  change: Omit<OverrideChange, "tool" | "when">,
  before: OverrideRecord | undefined,
): boolean {
  const { execution, result, approvalMs, reason } = change;
  const keepsDeny = before?.rule.execution !== "deny" && before?.isCorrupt !== true;
  return (
    (execution === undefined ||
      execution === "deny" ||
      (execution === "ask-always" && keepsDeny)) &&
    (result === undefined || result === "always") &&
    approvalMs === undefined &&
    (reason === undefined || before === undefined)
  );
}

/**
 * Valid values that replace `null` while a change is checked: `null` resets a field, but is invalid
 * in a rule.
 */
const samples: JsonObject = { execution: "auto", result: "never", approvalMs: 1, reason: "none" };

function readChange(body: unknown): OverrideChange {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badRequest("request", "The body is not an object.");
  const given = Object.entries(body as JsonObject);
  const checked = given.map(([key, value]) => [key, value ?? samples[key] ?? null] as const);
  // A rule needs at least one field; a change that only resets fields has none.
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

/** Returns a user's own rules, with the parts that an administrator's rule overrides. */
export function overrideViews({
  rules,
  toolIds,
}: {
  /** The administrator's rules. */
  readonly rules: readonly PolicyRule[];
  readonly toolIds: readonly string[];
}): (record: OverrideRecord) => OverrideView {
  return ({ id, rule, createdAt, updatedAt, isCorrupt }) => {
    const title =
      rule.when === undefined ? rule.tool : `${rule.tool} where ${conditionsText(rule.when)}`;
    const view = { ...rule, object: "override", id, title, createdAt, updatedAt } as const;
    if (isCorrupt === true) {
      const text =
        "This rule is corrupt and cannot be read. It denies all calls until you remove it.";
      return { ...view, effect: "full", notes: [text], corrupt: true };
    }
    if (!toolIds.some((toolId) => namesTool(rule.tool, toolId)))
      return {
        ...view,
        effect: "none",
        notes: [`It has no effect: there is no ${rule.tool} here.`],
      };
    const found = overruled({ rule, rules, toolIds });
    const fields = (["execution", "result", "approvalMs"] as const).filter(
      (field) => rule[field] !== undefined,
    );
    const isVoid = fields.every((field) =>
      found.some((one) => one.field === field && one.calls === "all"),
    );
    const effect = isVoid ? "none" : found.length > 0 ? "partial" : "full";
    return { ...view, effect, notes: found.map((one) => note(one, isVoid)) };
  };
}

const subjects = {
  execution: "Its `execution`",
  result: "Its `result`",
  approvalMs: "Its `approvalMs`",
} as const satisfies { readonly [field in Overruled["field"]]: string };

function note({ field, calls, by }: Overruled, isVoid: boolean): string {
  const what = isVoid ? "It" : subjects[field];
  const has = calls === "all" ? "has no effect" : "has no effect for some calls";
  const whose = `the administrator's rule for ${by.tool}${by.when === undefined ? "" : " with certain arguments"}`;
  const why = by.reason === undefined ? "." : `: ${by.reason}`;
  return `${what} ${has}: ${whose} ${verb(field, by)}${why}`;
}

function verb(field: Overruled["field"], by: PolicyRule): string {
  if (field === "approvalMs") return "sets that time";
  if (field === "result")
    return by.result === "on-error" ? "has failures reviewed" : "has results reviewed";
  switch (by.execution) {
    case "deny":
      return "forbids it";
    case "ask-always":
      return "requires approval every time";
    default:
      return "requires approval the first time";
  }
}
