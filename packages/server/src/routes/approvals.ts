import { Hono } from "hono";
import { z } from "zod";
import { type ApprovalDecision, checkArguments, type JsonObject } from "@capstan/core";
import type { ApprovalView } from "../contract/listing.ts";
import type { ApprovalRecord } from "../journal/records.ts";
import type { Environment, Services } from "./environment.ts";
import { listView } from "./list-view.ts";
import { readBody, readNumber } from "./read-body.ts";
import { badRequest, notFound } from "./request-refused.ts";

const statuses = ["pending", "allowed", "refused", "expired", "cancelled"] as const;

const answerBody = z.object({
  decision: z.enum(["allow", "refuse"]),
  scope: z.enum(["once", "session", "always"]).nullish(),
  reason: z.string().max(2_000).nullish(),
  arguments: z.record(z.string(), z.unknown()).nullish(),
});

/** Questions to people, and their answers. The first answer counts. */
export function approvalRoutes({ runs, ephemeral, groups }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const status = context.req.query("status");
    const known = statuses.find((candidate) => candidate === status);
    if (status !== undefined && known === undefined)
      throw badRequest(
        "status",
        `status: expected one of ${statuses.join(", ")}, got "${status.slice(0, 40)}".`,
      );
    const conversationId = context.req.query("conversation");
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 100 });
    const query = {
      owner,
      limit,
      ...(known !== undefined && { status: known }),
      ...(conversationId !== undefined && { conversationId }),
    };
    const [kept, passing] = await Promise.all([
      runs.store.listApprovals(query),
      ephemeral.store.listApprovals(query),
    ]);
    return context.json(
      listView([...kept.data, ...passing.data].map(approvalView), kept.hasMore || passing.hasMore),
    );
  });

  routes.get("/:id", async (context) => {
    const query = { owner: context.get("principal"), id: context.req.param("id") };
    const approval =
      (await runs.store.getApproval(query)) ?? (await ephemeral.store.getApproval(query));
    if (approval === undefined) throw notFound("approval", query.id);
    return context.json(approvalView(approval));
  });

  routes.post("/:id", async (context) => {
    const owner = context.get("principal");
    const id = context.req.param("id");
    const decision = decisionOf(await readBody(context, answerBody));
    if (decision.decision === "allow" && decision.arguments !== undefined)
      await refuseUnfit({ owner, id }, decision.arguments);
    const approval =
      (await runs.answer(owner, id, decision)) ?? (await ephemeral.answer(owner, id, decision));
    if (approval === undefined) throw notFound("approval", id);
    return context.json(approvalView(approval));
  });

  /** Arguments that cannot run are no answer: the question stays open. */
  async function refuseUnfit(
    query: { owner: string; id: string },
    args: JsonObject,
  ): Promise<void> {
    const approval =
      (await runs.store.getApproval(query)) ?? (await ephemeral.store.getApproval(query));
    const [group, name] = approval?.request.toolId.split(".") ?? [];
    const tool = groups
      .find((candidate) => candidate.name === group)
      ?.tools.find((candidate) => candidate.definition.function.name === name);
    if (tool === undefined || approval?.status !== "pending") return;
    const checked = await checkArguments(tool, args);
    if (checked.status === "invalid") throw badRequest("arguments", checked.error.message);
  }

  return routes;
}

function decisionOf({
  decision,
  scope,
  reason,
  arguments: args,
}: z.output<typeof answerBody>): ApprovalDecision {
  if (decision === "refuse") return { decision, ...(reason != null && { reason }) };
  return {
    decision,
    ...(scope != null && { scope }),
    ...(args != null && { arguments: args as JsonObject }),
  };
}

function approvalView({ request, runId, conversationId, status }: ApprovalRecord): ApprovalView {
  return { ...request, object: "approval", run: runId, conversation: conversationId, status };
}
