import type { ApprovalDecision, GrantCover, JsonObject, ReviewDecision } from "@capstan/core";
import type { Context } from "hono";
import { z } from "zod";
import type { ApprovalRecord } from "../journal/records.ts";
import { readBody } from "./read-body.ts";
import { badRequest } from "./request-refused.ts";

const reason = z.string().max(2_000).nullish();

const executionBody = z.object({
  decision: z.enum(["allow", "refuse"]),
  scope: z.enum(["once", "session", "always"]).nullish(),
  reason,
  arguments: z.record(z.string(), z.unknown()).nullish(),
  covers: z.unknown().optional(),
  expiresAt: z.number().nullish(),
});

const reviewBody = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("release") }),
  z.object({
    decision: z.literal("redact"),
    words: z.array(z.string().min(1).max(10_000)).min(1).max(100),
  }),
  z.object({ decision: z.literal("replace"), text: z.string().max(1_000_000) }),
  z.object({ decision: z.literal("withhold"), reason }),
]);

const kinds = {
  execution: { of: ["allow", "refuse"], asks: "whether its call may run" },
  result: {
    of: ["release", "redact", "replace", "withhold"],
    asks: "whether the result of its call may be seen",
  },
} as const;

/** A request's body as an answer to this approval. One of the other kind is refused by name. */
export async function readAnswer(
  context: Context,
  { kind }: ApprovalRecord,
): Promise<ApprovalDecision | ReviewDecision> {
  const { decision } = await readBody(context, z.looseObject({ decision: z.string() }));
  const { of, asks } = kinds[kind];
  if (!of.some((known) => known === decision)) {
    const message = `decision: this approval asks ${asks}; expected ${of.join(", ")}, got "${decision.slice(0, 40)}".`;
    throw badRequest("decision", message);
  }
  return kind === "execution"
    ? executionDecision(await readBody(context, executionBody))
    : reviewDecision(await readBody(context, reviewBody));
}

function executionDecision({
  decision,
  scope,
  reason: why,
  arguments: args,
  covers,
  expiresAt,
}: z.output<typeof executionBody>): ApprovalDecision {
  if (decision === "refuse") return { decision, ...(why != null && { reason: why }) };
  return {
    decision,
    ...(scope != null && { scope }),
    ...(args != null && { arguments: args as JsonObject }),
    // Looked at with the question: see `checkAnswer`.
    ...(covers != null && { covers: covers as GrantCover }),
    ...(expiresAt != null && { expiresAt }),
  };
}

function reviewDecision(body: z.output<typeof reviewBody>): ReviewDecision {
  if (body.decision !== "withhold") return body;
  return { decision: "withhold", ...(body.reason != null && { reason: body.reason }) };
}
