import { isObject } from "../../json/json-type.ts";
import type { Clock } from "../../base/clock.ts";
import type { ApprovalAdapter } from "../../policy/approval.ts";
import { reviewShapeProblem } from "../../policy/review-problem.ts";
import type { ReviewAnswer, ReviewDecision, ReviewRequest } from "../../policy/review.ts";

export interface AskReviewOptions {
  /** Without one that reviews, the result is withheld. */
  readonly adapter: ApprovalAdapter | undefined;
  readonly request: ReviewRequest;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Shows a result to whoever reviews, until that expires. Who throws, says what cannot be understood
 * or says nothing in time withholds. Never rejects. The adapter's signal aborts where its answer is
 * not wanted any more.
 */
export async function askReview(options: AskReviewOptions): Promise<ReviewAnswer> {
  const { adapter, request, clock, signal } = options;
  if (adapter?.review === undefined) return withhold("nobody is there to do so");
  if (signal?.aborted === true) return withhold("it was stopped");
  const asking = new AbortController();
  const { promise: answer, resolve } = Promise.withResolvers<ReviewAnswer>();
  // Whoever still shows the result may take it away.
  const giveUp = (why: string) => () => {
    const word = withhold(why);
    resolve(word);
    asking.abort(word);
  };
  const stop = giveUp("it was stopped");
  const disarm = clock.after(
    Math.max(0, request.expiresAt - clock.now()),
    giveUp("nobody did so in time"),
  );
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const word = Promise.resolve(adapter.review(request, asking.signal)).then(understood);
    return await Promise.race([word, answer]);
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
function understood(answer: unknown): ReviewAnswer {
  const isPending = isObject(answer) && answer["decision"] === "pending";
  if (isPending || reviewShapeProblem(answer) === undefined) return answer as ReviewAnswer;
  return withhold("the answer was not understood");
}
