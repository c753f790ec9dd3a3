import type {
  ApprovalView,
  ResultApprovalView,
  ReviewedPart,
  ReviewedResult,
  ReviewPreview,
  ShownApproval,
} from "@capstan/contract";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type CallRecord,
  type ContentPart,
  type ReviewDecision,
  VariableSystem,
} from "@capstan/core";
import {
  nearestNames,
  readBack,
  readShownVariable,
  reviewProblem,
  reviewRequestOf,
} from "@capstan/core/host";
import {
  shownTexts,
  partsOfLine,
  type VisiblePart,
  visibleLine,
  visiblePartsInSteps,
} from "@capstan/core/text";
import { jsonChunks } from "@capstan/core/base";
import { type ApprovalRecord, requestOf } from "@capstan/store";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { programOf } from "../http/credentials/program-keys.ts";
import { badRequest, conflict, notFound } from "../http/errors.ts";
import { readBody, readNumber, readWord, withoutNulls } from "../http/read-body.ts";
import { entryView, listView, requireConversation } from "../http/records.ts";
import { mayApprove, rightMissing } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";
import { registerRequestGroups } from "../runs/request/request-groups.ts";
import { mergePages } from "../runs/active/run-stores.ts";
import { nextTurn, streamJson } from "../http/streams.ts";

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

/** A page of the list ends early when the requests of its approvals have this many bytes. */
const pageBytes = 2 * 1024 * 1024;

/** Default number of result characters in a response. */
const resultChars = 20_000;

/** Routes of approvals: list, read, preview and answer them. The first answer counts. */
export function approvalRoutes({
  runs,
  createExecutor,
  requestServers,
}: Services): Hono<Environment> {
  const routes = new Hono<Environment>();

  routes.get("/", async (context) => {
    const owners = context.get("owners");
    const status = readWord(context, "status", statuses);
    const conversationId = context.req.query("conversation");
    if (conversationId !== undefined)
      await requireConversation(runs.store, context.get("principal"), conversationId);
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 100 });
    const after = context.req.query("after");
    const cursors =
      after === undefined
        ? []
        : await Promise.all(
            owners.map((owner) => runs.stores.findApprovalCursor({ owner, id: after })),
          );
    const cursor = cursors.find((found) => found !== undefined);
    if (after !== undefined && cursor === undefined)
      throw badRequest("after", `after: there is no approval "${after.slice(0, 100)}" here.`);
    const query = {
      limit,
      maxBytes: pageBytes,
      ...(cursor !== undefined && { after: cursor }),
      ...(status !== undefined && { status }),
      ...(conversationId !== undefined && { conversationId }),
    };
    const pages = await Promise.all(
      owners.map((owner) => runs.stores.listApprovals({ owner, ...query })),
    );
    const { data, hasMore } = mergePages(pages, ({ id }) => id, limit);
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

  /**
   * Returns the call whose result waits for review. The result is not shown after the answer.
   */
  const reviewed = async (approval: ApprovalRecord): Promise<CallRecord | undefined> => {
    const { owner, id, runId, status } = approval;
    return status === "pending" ? runs.stores.of(runId).readReview({ owner, id }) : undefined;
  };

  /** Returns the whole content of a variable that an approval covers. */
  const coveredContent = async (
    { request, owner, runId, id }: Extract<ApprovalRecord, { readonly kind: "execution" }>,
    name: string,
  ): Promise<string> => {
    const shown = request.variables?.find((one) => one.name === name);
    if (shown === undefined) throw notFound("variable", name);
    const variables = await runs.variablesOf({ owner, headRunId: runId });
    await readBack(variables, name);
    // Reading a variable here does not count as a use.
    const current = variables.getVariable(name, { visit: false });
    const content = current && readShownVariable(current, shown);
    if (content === undefined)
      throw conflict(
        `The variable "${name.slice(0, 100)}" changed after the approval ${id} was requested, so the call would fail. Reject it, and have it called again.`,
      );
    return content;
  };

  routes.get("/:id", async (context) => {
    const approval = await find(context);
    if (approval.kind === "execution") {
      const { request } = approval;
      const name = context.req.query("variable");
      if (name !== undefined) {
        const start = readNumber(context, "start", { min: 0, otherwise: 0 });
        const length = readNumber(context, "length", { min: 1, otherwise: resultChars });
        const text = (await coveredContent(approval, name)).slice(start, start + length);
        const variables = (request.variables ?? [])
          .filter((one) => one.name === name)
          .map((one) => ({ ...one, text }));
        return streamJson(jsonChunks({ ...approvalView(approval), variables }));
      }
      const shown = await shownApproval({ request, args: request.args });
      const view = { ...approvalView(approval), ...(shown !== undefined && { shown }) };
      return streamJson(jsonChunks(view));
    }
    if (!mayApprove(context)) return context.json(approvalView(approval));
    const start = readNumber(context, "start", { min: 0, otherwise: 0 });
    const length = readNumber(context, "length", { min: 1, otherwise: resultChars });
    const call = await reviewed(approval);
    const shown = call === undefined ? undefined : await reviewedView(call, { start, length });
    const answer = streamJson(jsonChunks({ ...approvalView(approval), ...shown }));
    // The reviewer can withhold this result, so browsers must not cache it.
    answer.headers.set("Cache-Control", "no-store");
    return answer;
  });

  routes.post("/:id", async (context) => {
    const approval = await find(context);
    const decision = await readAnswer(context, approval);
    const tightens = decision.decision === "refuse" || decision.decision === "withhold";
    if (!tightens && !mayApprove(context))
      throw rightMissing("approve", `The answer "${decision.decision}"`);
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
      throw conflict(`This result no longer waits for review: it is ${approval.status}.`);
    refuseImpossible(call, decision);
    const executor = createExecutor({ variables: new VariableSystem(), drafts: true });
    const shown = executor.previewReviewed(call, decision as ReviewDecision);
    return context.json({ object: "review_preview", shown } satisfies ReviewPreview);
  });

  /** Rejects a decision that does not fit the approval, which stays open. */
  async function refuseUnfit(approval: ApprovalRecord, decision: unknown): Promise<void> {
    if (approval.kind !== "execution" || approval.status !== "pending") return;
    const { owner } = approval;
    const overrides = await runs.overrides.of(owner);
    const executor = createExecutor({
      variables: new VariableSystem(),
      overrides,
      drafts: true,
    });
    const run = await runs.stores.of(approval.runId).getRun({ owner, id: approval.runId });
    if (run !== undefined)
      registerRequestGroups(executor, requestOf(run), { requestServers, owner });
    const problem = await executor.checkAnswer(approval.request, decision);
    if (problem !== undefined) throw badRequest(fieldOf(problem), problem);
    refuseUnnamedCover(approval.request, decision as ApprovalDecision);
  }

  return routes;
}

/**
 * Rejects an answer that allows later calls but does not state which calls it covers. A read-only
 * tool needs no such statement.
 */
function refuseUnnamedCover(
  { readOnly, toolName, grant }: ApprovalRequest,
  decision: ApprovalDecision,
): void {
  if (decision.decision !== "allow" || (decision.scope ?? "once") === "once") return;
  const { covers } = decision;
  const isNarrow = grant?.when !== undefined || grant?.key !== undefined;
  const isNamed = covers !== undefined && (covers.type !== "offer" || isNarrow);
  if (readOnly === true || isNamed) return;
  const offer = isNarrow ? '{"type":"offer"} for the offered calls, ' : "";
  const message = `covers: ${toolName} may write, send or run code, so an answer for more than one call must state the covered calls. Expected ${offer}{"type":"tool"} for every call, {"type":"arguments"}, or {"type":"pattern","when":{…}}.`;
  throw badRequest("covers", message);
}

/** Returns the field at the start of a problem's text: `covers.when.path: …`. */
function fieldOf(problem: string): string {
  return /^[a-z][\w.*/-]*(?=:)/i.exec(problem)?.[0] ?? "request";
}

/**
 * Rejects a redaction if the result does not contain its words: a mistyped word would release the
 * secret.
 */
function refuseImpossible(
  call: CallRecord | undefined,
  decision: ApprovalDecision | ReviewDecision,
): void {
  if (call?.quarantine === undefined || decision.decision !== "redact") return;
  const problem = reviewProblem(decision, call.quarantine.formatted.text);
  if (problem !== undefined) throw badRequest("words", `words: ${problem}`);
}

const reason = z.string().max(2_000).nullish();

/** `system`: the client denied the call itself, because it could not ask a user. */
const by = z.enum(["person", "system"]).nullish();

/** Rejects unknown keys: ignoring one could widen an answer. */
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

/**
 * A request's body as an answer to this approval. Rejects an answer for another kind of approval
 * and names the expected decisions.
 */
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
  // `checkAnswer` checks `covers` against the approval request.
  return kind === "execution"
    ? (withoutNulls(await readBody(context, executionBody)) as ApprovalDecision)
    : (withoutNulls(await readBody(context, reviewBody)) as ReviewDecision);
}

/** Largest Base64 length of an image or a file that is sent with a result. */
const inlineChars = 4 * 1024 * 1024;

/** Returns an approval as its owner's clients see it, without the result under review. */
export function approvalView(approval: ApprovalRecord): ApprovalView {
  const { runId: run, conversationId: conversation, answeredAt } = approval;
  const program = programOf(approval.owner);
  const common = {
    object: "approval",
    run,
    conversation,
    ...(answeredAt !== null && { answered_at: answeredAt }),
    ...(program !== undefined && { program }),
  } as const;
  if (approval.kind === "execution") {
    const { request, kind, status } = approval;
    return { ...request, ...common, kind, status };
  }
  const { request, kind, status, outcome } = approval;
  const reason = outcome?.reason;
  return {
    ...request,
    ...common,
    kind,
    status,
    ...(reason !== undefined && { answer_reason: reason }),
  };
}

interface ShownOptions {
  readonly request: Pick<ApprovalRequest, "toolName" | "groupTitle" | "reason"> &
    Partial<Pick<ApprovalRequest, "description" | "grant" | "variables" | "preview">>;
  readonly args: ApprovalRequest["args"];
  readonly result?: ReviewedResult | undefined;
}

/**
 * Maximum length, in characters, of texts that are also sent as marked parts. A longer text has no
 * parts, because each mark is many times longer than its character.
 */
const maxShownChars = 50_000;

/** Returns the texts of an approval in visible form, or `undefined` if they are too long. */
async function shownApproval(options: ShownOptions): Promise<ShownApproval | undefined> {
  const { request, args, result } = options;
  const texts = shownTexts(args, request);
  const all = [...texts.flat(), result?.text ?? "", result?.shown ?? ""];
  if (all.reduce((sum, text) => sum + text.length, 0) > maxShownChars) return undefined;
  const { toolName, groupTitle, description = "", reason, grant } = request;
  const shownArguments: ShownApproval["arguments"][number][] = [];
  for (const [name, value] of texts) {
    const shownName = partsOfLine(await shownParts(name));
    shownArguments.push({ name: shownName, value: await shownParts(value) });
  }
  return {
    toolName: visibleLine(toolName),
    groupTitle: visibleLine(groupTitle),
    description: await shownParts(description),
    reason: await shownParts(reason),
    ...(grant !== undefined && { grant: visibleLine(grant.title) }),
    arguments: shownArguments,
    ...(result !== undefined && {
      result: await shownParts(result.text),
      resultForModel: await shownParts(result.shown),
    }),
  };
}

/** Yields to other requests, because 50,000 marked characters need up to 400 ms. */
async function shownParts(text: string): Promise<readonly VisiblePart[]> {
  const steps = visiblePartsInSteps(text);
  await nextTurn();
  for (let n = 1; ; n++) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (n % 64 === 0) await nextTurn();
  }
}

/**
 * Returns the data for the reviewer: the arguments and a slice of the result. Returns undefined if
 * the review is settled.
 */
async function reviewedView(
  call: CallRecord,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<Pick<ResultApprovalView, "args" | "result" | "shown"> | undefined> {
  const request = reviewRequestOf(call);
  if (request === undefined) return undefined;
  const { args, text, shown, parts = [] } = request;
  const from = Math.min(start, text.length);
  const result = {
    text: text.slice(from, from + length),
    start: from,
    total: text.length,
    shown,
    parts: parts.map(reviewedPart),
  };
  const texts = await shownApproval({ request, args, result });
  return { args, result, ...(texts !== undefined && { shown: texts }) };
}

function reviewedPart(part: ContentPart): ReviewedPart {
  if (part.type !== "image" && part.type !== "file") return part;
  const { source, type, mimeType } = part;
  if (source.type !== "base64" || source.data.length <= inlineChars) return part;
  return { type: "omitted", of: type, mimeType, bytes: Math.floor(source.data.length * 0.75) };
}
