import { copyJson, isObject } from "../../json/json-value.ts";
import type { Clock } from "../../base/clock.ts";
import {
  answerProblem,
  withArgsDigest,
  type AnswerCheck,
  type ApprovalAdapter,
  type ApprovalAnswer,
  type ApprovalRequest,
} from "../../policy/approval.ts";
import { type GrantBook, grantCovers, type GrantQuery } from "../../policy/grant.ts";
import { reviewShapeProblem, type ReviewAnswer, type ReviewRequest } from "../../policy/review.ts";

interface AskOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

interface Question<Response> extends AskOptions {
  readonly times: Pick<ApprovalRequest, "createdAt" | "expiresAt">;
  /** Asks the adapter. The signal aborts when the answer is no longer needed. */
  readonly put: (signal: AbortSignal) => unknown;
  /** Validates the adapter's answer: adapters are custom code. */
  readonly parse: (answer: unknown) => Response;
  readonly stopped: Response;
  readonly expired: Response;
  readonly failed: Response;
  /**
   * Registers a callback for a response that makes the adapter's answer unnecessary. Returns a
   * function that unregisters it.
   */
  readonly watch?: (respond: (response: Response) => void) => (() => void) | undefined;
}

/** Asks an approval adapter until the request expires or is stopped. Never rejects. */
async function ask<Response>(question: Question<Response>): Promise<Response> {
  const { clock, signal, times, stopped, expired } = question;
  if (signal?.aborted === true) return stopped;
  const asking = new AbortController();
  const { promise: other, resolve } = Promise.withResolvers<Response>();
  const respond = (response: Response): void => {
    resolve(response);
    // The adapter may remove the request from its display.
    asking.abort(response);
  };
  const stop = () => respond(stopped);
  // If the clock is set back, the remaining time does not grow.
  const left = Math.min(times.expiresAt - clock.now(), times.expiresAt - times.createdAt);
  const disarm = clock.after(Math.max(0, left), () => respond(expired));
  const unwatch = question.watch?.(respond);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const answer = Promise.resolve(question.put(asking.signal)).then(question.parse);
    return await Promise.race([answer, other]);
  } catch {
    return question.failed;
  } finally {
    disarm();
    unwatch?.();
    signal?.removeEventListener("abort", stop);
  }
}

interface RequestApprovalOptions extends AskOptions {
  /** If undefined, the call is rejected. */
  readonly adapter: ApprovalAdapter | undefined;
  readonly approval: ApprovalRequest;
  /**
   * A grant that is added here while the request is open can cover it: then no answer is needed.
   */
  readonly grants: GrantBook;
  /** The query that such a grant must match. */
  readonly query: GrantQuery | undefined;
  /** Lets an adapter validate an answer while the user can still correct it. */
  readonly check: AnswerCheck;
}

/**
 * Asks the approval adapter until the request expires or another answer covers it. Rejects the call
 * if the adapter throws, gives an invalid response or does not answer in time.
 */
export async function requestApproval(options: RequestApprovalOptions): Promise<ApprovalAnswer> {
  const { adapter, approval, clock, signal, grants, query, check } = options;
  if (adapter === undefined) return refuse("there is no user to ask");
  return ask({
    clock,
    signal,
    times: approval,
    put: (open) => adapter.request(ownCopy(approval), open, check),
    parse: (answer) => parseApproval(answer, options),
    stopped: refuse("it was stopped"),
    expired: refuse("no user answered in time"),
    failed: refuse("the approval request failed"),
    watch: (respond) =>
      query &&
      grants.onAdded((grant) => {
        if (grant.verdict === "allow" && grantCovers(grant, query, clock.now()))
          respond({ decision: "allow", by: "grant" });
      }),
  });
}

/** An adapter may change the request that it gets. The digest is computed at its first use. */
function ownCopy(approval: ApprovalRequest): ApprovalRequest {
  const copy: { [key: string]: unknown } = {};
  for (const key of Object.keys(approval) as (keyof ApprovalRequest)[])
    if (key === "args") copy[key] = copyJson(approval.args);
    else if (key !== "argsDigest") copy[key] = approval[key];
  return withArgsDigest(copy, () => approval.argsDigest) as unknown as ApprovalRequest;
}

function refuse(why: string): ApprovalAnswer {
  return { decision: "refuse", reason: `it needs a user's approval, and ${why}`, by: "system" };
}

/**
 * Only `approve` approves. If an answer is wider than the request allows, it approves only this
 * call.
 */
function parseApproval(
  answer: unknown,
  { approval, query, clock }: RequestApprovalOptions,
): ApprovalAnswer {
  if (!isObject(answer)) return refuse("the answer was invalid");
  if (answer["decision"] === "pending") return { decision: "pending" };
  const { scope: _scope, covers: _covers, expiresAt: _expiresAt, ...plain } = answer;
  const isOnce = answer["arguments"] !== undefined || approval.grant === undefined;
  const isScope = ["once", "session", "always", undefined].includes(answer["scope"] as string);
  const decision = isOnce && isScope ? plain : answer;
  const args = query?.args ?? approval.args;
  const problem = answerProblem({ decision, approval, args, now: clock.now() });
  return problem === undefined
    ? (decision as unknown as ApprovalAnswer)
    : refuse("the answer was invalid");
}

interface RequestReviewOptions extends AskOptions {
  /** If it is undefined or has no `review`, the result is withheld. */
  readonly adapter: ApprovalAdapter | undefined;
  readonly request: ReviewRequest;
}

/**
 * Asks the approval adapter to review a result until the request expires. Withholds the result if
 * the adapter throws, gives an invalid response or does not answer in time.
 */
export async function requestReview(options: RequestReviewOptions): Promise<ReviewAnswer> {
  const { adapter, request, clock, signal } = options;
  if (adapter?.review === undefined) return withhold("there is no user to ask");
  const review = adapter.review.bind(adapter);
  return ask({
    clock,
    signal,
    times: request,
    put: (open) => review(request, open),
    parse: parseReview,
    stopped: withhold("it was stopped"),
    expired: withhold("no user reviewed it in time"),
    failed: withhold("the review request failed"),
  });
}

function withhold(why: string): ReviewAnswer {
  return { decision: "withhold", reason: `a user must review it first, and ${why}`, by: "system" };
}

function parseReview(answer: unknown): ReviewAnswer {
  const isPending = isObject(answer) && answer["decision"] === "pending";
  if (isPending || reviewShapeProblem(answer) === undefined) return answer as ReviewAnswer;
  return withhold("the answer was invalid");
}
