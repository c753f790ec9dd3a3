import { errorMessage } from "../../base/errors.ts";
import type { ReviewAnswer, ReviewDecision } from "../../policy/review.ts";
import type { CallObserver } from "../gate/call-observer.ts";
import type { CallInReview } from "../record/settled-call.ts";

/** The decision on a result whose call is stopped during its review. */
export const stoppedReview: ReviewDecision = {
  decision: "withhold",
  reason: "it was stopped before a person had seen it",
  by: "system",
};

/** A review that has not been answered, and that its call may stop. */
export class PendingReview {
  readonly #controller = new AbortController();
  readonly #stopped = Promise.withResolvers<ReviewDecision>();

  async request(observer: CallObserver, call: CallInReview): Promise<ReviewAnswer> {
    return Promise.race([this.#ask(observer, call), this.#stopped.promise]);
  }

  /** Nobody waits for the answer any more: the result is withheld. */
  stop(): void {
    this.#stopped.resolve(stoppedReview);
    this.#controller.abort();
  }

  async #ask(observer: CallObserver, call: CallInReview): Promise<ReviewAnswer> {
    try {
      return await observer.review(call, this.#controller.signal);
    } catch (thrown) {
      const reason = `the review failed: ${errorMessage(thrown)}`;
      return { decision: "withhold", reason, by: "system" };
    }
  }
}
