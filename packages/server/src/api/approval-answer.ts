import type { ApprovalDecision, GrantCover, JsonObject, ReviewDecision } from "@capstan/core";
import { nearestNames } from "@capstan/core/host";
import type { Context } from "hono";
import { z } from "zod";
import type { ApprovalRecord } from "@capstan/store";
import { readBody } from "../http/read-body.ts";
import { badRequest } from "../http/errors.ts";

const reason = z.string().max(2_000).nullish();

/** `system`: no person said so; nobody could be asked. */
const by = z.enum(["person", "system"]).nullish();

/** An answer with a key that nobody reads would say less than its writer meant: it is refused. */
function answerOf<T extends z.ZodRawShape & { readonly decision: z.ZodLiteral<string> }>(shape: T) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const known = Object.keys(shape);
      const unknown = issue.keys.map((key) => {
        const [nearest] = nearestNames(key, known);
        const meant = nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
        return `${key.slice(0, 40)}${meant}`;
      });
      return `unknown ${unknown.join(", ")}; "${shape.decision.value}" takes ${known.join(", ")}.`;
    },
  });
}

const executionBody = z.discriminatedUnion("decision", [
  answerOf({
    decision: z.literal("allow"),
    scope: z.enum(["once", "session", "always"]).nullish(),
    arguments: z.record(z.string(), z.unknown()).nullish(),
    covers: z.unknown().optional(),
    expiresAt: z.number().nullish(),
  }),
  answerOf({ decision: z.literal("refuse"), reason, by }),
]);

const reviewBody = z.discriminatedUnion("decision", [
  answerOf({ decision: z.literal("release") }),
  answerOf({
    decision: z.literal("redact"),
    words: z.array(z.string().min(1).max(10_000)).min(1).max(100),
  }),
  answerOf({ decision: z.literal("replace"), text: z.string().max(1_000_000) }),
  answerOf({ decision: z.literal("withhold"), reason, by }),
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

function executionDecision(body: z.output<typeof executionBody>): ApprovalDecision {
  if (body.decision === "refuse") return { decision: "refuse", ...noOf(body) };
  const { decision, scope, arguments: args, covers, expiresAt } = body;
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
  return { decision: "withhold", ...noOf(body) };
}

/** Why, and whose word it is. */
function noOf({
  reason: why,
  by: whose,
}: Pick<z.output<typeof executionBody> & { decision: "refuse" }, "reason" | "by">) {
  return { ...(why != null && { reason: why }), ...(whose != null && { by: whose }) };
}
