import { errorMessage } from "../../base/error-message.ts";
import type { ReviewAnswer, ReviewDecision } from "../../policy/review.ts";
import type { CallObserver } from "../gate/call-observer.ts";
import type { CallInReview } from "../record/settled-call.ts";

/** How a call ends that is stopped while a person looks at its result. */
export const unseen: ReviewDecision = {
  decision: "withhold",
  reason: "it was stopped before a person had seen it",
  by: "system",
};

/** A result while a person looks at it, who may be told that it is not wanted any more. */
export class ShownResult {
  readonly #controller = new AbortController();
  readonly #stopped = Promise.withResolvers<ReviewDecision>();

  async review(observer: CallObserver, call: CallInReview): Promise<ReviewAnswer> {
    return Promise.race([this.#ask(observer, call), this.#stopped.promise]);
  }

  /** Nobody waits for the answer any more: the result is withheld. */
  stop(): void {
    this.#stopped.resolve(unseen);
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
