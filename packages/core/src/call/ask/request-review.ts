import { isObject } from "../../json/json-value.ts";
import type { Clock } from "../../base/clock.ts";
import type { ApprovalAdapter } from "../../policy/approval.ts";
import {
  reviewShapeProblem,
  type ReviewAnswer,
  type ReviewDecision,
  type ReviewRequest,
} from "../../policy/review.ts";

export interface RequestReviewOptions {
  /** Without one that reviews, the result is withheld. */
  readonly adapter: ApprovalAdapter | undefined;
  readonly request: ReviewRequest;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the approval adapter to review a result, until the request expires. An adapter that throws,
 * gives an invalid response or does not answer in time withholds the result. Never rejects. Its
 * signal aborts when the answer is no longer needed.
 */
export async function requestReview(options: RequestReviewOptions): Promise<ReviewAnswer> {
  const { adapter, request, clock, signal } = options;
  if (adapter?.review === undefined) return withhold("nobody is there to do so");
  if (signal?.aborted === true) return withhold("it was stopped");
  const asking = new AbortController();
  const { promise: answer, resolve } = Promise.withResolvers<ReviewAnswer>();
  // Whoever still shows the result may take it away.
  const giveUp = (why: string) => () => {
    const response = withhold(why);
    resolve(response);
    asking.abort(response);
  };
  const stop = giveUp("it was stopped");
  const disarm = clock.after(
    Math.max(0, request.expiresAt - clock.now()),
    giveUp("nobody did so in time"),
  );
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const response = Promise.resolve(adapter.review(request, asking.signal)).then(parseResponse);
    return await Promise.race([response, answer]);
  } catch {
    return withhold("showing it failed");
  } finally {
    disarm();
    signal?.removeEventListener("abort", stop);
  }
}

function withhold(why: string): Extract<ReviewDecision, { readonly decision: "withhold" }> {
  return { decision: "withhold", reason: `a person must see it first, and ${why}`, by: "system" };
}

/** Adapters are written by others, and what is to be shown must be meant. */
function parseResponse(answer: unknown): ReviewAnswer {
  const isPending = isObject(answer) && answer["decision"] === "pending";
  if (isPending || reviewShapeProblem(answer) === undefined) return answer as ReviewAnswer;
  return withhold("the answer was not understood");
}
