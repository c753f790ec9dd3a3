import {
  type ApprovalDecision,
  type CallRecord,
  type ReviewDecision,
  VariableSystem,
} from "@capstan/core";
import { reviewProblem } from "@capstan/core/host";
import { type Context, Hono } from "hono";
import type { ReviewPreview } from "@capstan/contract";
import type { ApprovalRecord } from "@capstan/store";
import { readAnswer } from "./approval-answer.ts";
import { approvalView, reviewedView } from "./approval-view.ts";
import type { Environment, Services } from "../http/services.ts";
import { entryView, findConversation, listView } from "../http/records.ts";
import { readNumber } from "../http/read-body.ts";
import { badRequest, conflict, notFound } from "../http/errors.ts";

const statuses = [
  "pending",
  "allowed",
  "refused",
  "released",
  "redacted",
  "replaced",
  "withheld",
  "expired",
  "cancelled",
] as const;

/** Characters of a result that are sent where the request does not say. */
const resultChars = 20_000;

/** Questions to people, and their answers. The first answer counts. */
export function approvalRoutes({ runs, createExecutor }: Services): Hono<Environment> {
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
    if (conversationId !== undefined) await findConversation(runs.store, owner, conversationId);
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 100 });
    const after = context.req.query("after");
    const place =
      after === undefined ? undefined : await runs.stores.getApproval({ owner, id: after });
    if (after !== undefined && place === undefined)
      throw badRequest("after", `after: there is no approval "${after.slice(0, 100)}" here.`);
    const query = {
      owner,
      limit,
      ...(place !== undefined && { after: place }),
      ...(known !== undefined && { status: known }),
      ...(conversationId !== undefined && { conversationId }),
    };
    const { data, hasMore } = await runs.stores.listApprovals(query);
    return context.json(
      listView(
        data.map((entry) => entryView(entry, approvalView)),
        hasMore,
      ),
    );
  });

  const find = async (context: Context<Environment>): Promise<ApprovalRecord> => {
    const query = { owner: context.get("principal"), id: context.req.param("id") ?? "" };
    const approval = await runs.stores.getApproval(query);
    if (approval === undefined) throw notFound("approval", query.id);
    return approval;
  };

  /** The call whose result waits. Once a person has answered, what it was is nobody's business any more. */
  const reviewed = async (approval: ApprovalRecord): Promise<CallRecord | undefined> => {
    const { owner, id, runId, status } = approval;
    return status === "pending" ? runs.stores.of(runId).readReview({ owner, id }) : undefined;
  };

  routes.get("/:id", async (context) => {
    const approval = await find(context);
    if (approval.kind === "execution") return context.json(approvalView(approval));
    const max = Number.MAX_SAFE_INTEGER;
    const start = readNumber(context, "start", { min: 0, max, otherwise: 0 });
    const length = readNumber(context, "length", { min: 1, max, otherwise: resultChars });
    const call = await reviewed(approval);
    // No browser keeps what its reader may decide to withhold.
    context.header("Cache-Control", "no-store");
    const shown = call === undefined ? undefined : reviewedView(call, { start, length });
    return context.json({ ...approvalView(approval), ...shown });
  });

  routes.post("/:id", async (context) => {
    const approval = await find(context);
    const decision = await readAnswer(context, approval);
    await refuseUnfit(approval, decision);
    if (approval.kind === "result") refuseImpossible(await reviewed(approval), decision);
    const { owner, id, runId } = approval;
    const answered = await runs.answer(owner, id, decision, runId);
    if (answered === undefined) throw notFound("approval", id);
    return context.json(approvalView(answered));
  });

  routes.post("/:id/preview", async (context) => {
    const approval = await find(context);
    if (approval.kind === "execution")
      throw badRequest("id", "id: only a result that waits for review has a preview.");
    const decision = await readAnswer(context, approval);
    const call = await reviewed(approval);
    if (call === undefined)
      throw conflict(`This result waits no longer: it is ${approval.status}.`);
    refuseImpossible(call, decision);
    const executor = createExecutor({ variables: new VariableSystem() });
    const shown = executor.previewReviewed(call, decision as ReviewDecision);
    return context.json({ object: "review_preview", shown } satisfies ReviewPreview);
  });

  /** What cannot be taken is no answer: the question stays open. */
  async function refuseUnfit(approval: ApprovalRecord, decision: unknown): Promise<void> {
    if (approval.kind !== "execution" || approval.status !== "pending") return;
    const overrides = await runs.overrides.of(approval.owner);
    const executor = createExecutor({ variables: new VariableSystem(), overrides });
    const problem = await executor.checkAnswer(approval.request, decision);
    if (problem !== undefined) throw badRequest(fieldOf(problem), problem);
  }

  return routes;
}

/** What a problem is about: it begins with its field, `covers.when.path: …`. */
function fieldOf(problem: string): string {
  return /^[a-z][\w.*/-]*(?=:)/i.exec(problem)?.[0] ?? "request";
}

/** A redaction that names what is not there was mistyped, and would release it: the question stays open. */
function refuseImpossible(
  call: CallRecord | undefined,
  decision: ApprovalDecision | ReviewDecision,
): void {
  if (call?.quarantine === undefined || decision.decision !== "redact") return;
  const problem = reviewProblem(decision, call.quarantine.formatted.text);
  if (problem !== undefined) throw badRequest("words", `words: ${problem}`);
}
