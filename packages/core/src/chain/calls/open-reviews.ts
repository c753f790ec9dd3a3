import { settleReviewed } from "../../call/settle/review-result.ts";
import type { CallInReview, SettledCall } from "../../call/record/settled-call.ts";
import { stoppedReview } from "../../call/ask/pending-review.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ReviewAnswer, ReviewDecision, ReviewNotice } from "../../policy/review.ts";
import type { Awaited } from "../journal/chain-result.ts";

interface OpenReview extends CallInReview {
  /** Whoever is shown the result may take it away. */
  readonly stop: AbortController;
  /** For a sub-call, whose parent waits; else the call is suspended, and settled from its record. */
  readonly resolve?: (decision: ReviewDecision) => void;
}

/** The results of a chain's calls that a person must see before anybody else does. */
export class OpenReviews {
  readonly #executor: ToolExecutor;
  readonly #signal: AbortSignal;
  readonly #settle: (settled: SettledCall) => void;
  readonly #open = new Map<string, OpenReview>();

  constructor(options: {
    readonly executor: ToolExecutor;
    readonly signal: AbortSignal;
    /** Takes the end of a call that was suspended. */
    readonly settle: (settled: SettledCall) => void;
  }) {
    this.#executor = options.executor;
    this.#signal = options.signal;
    this.#settle = options.settle;
  }

  /** What is waited for; a sub-call's parent runs, and waits itself. */
  waiting(): readonly Awaited[] {
    if (this.#open.size === 0) return [];
    return [...this.#open.values()]
      .filter(({ resolve }) => resolve === undefined)
      .map(({ record }) => ({
        type: "review",
        callId: record.callId,
        review: record.review as ReviewNotice,
      }));
  }

  /** A call whose result is in its record by now. A sub-call gets its answer; any other is suspended. */
  async ask(call: CallInReview): Promise<ReviewAnswer> {
    if (this.#signal.aborted) return stoppedReview;
    const stop = new AbortController();
    if (call.record.parentCallId === undefined) {
      await this.#show({ ...call, stop });
      return { decision: "pending" };
    }
    const { promise, resolve } = Promise.withResolvers<ReviewDecision>();
    void this.#show({ ...call, stop, resolve });
    return promise;
  }

  /** A call that waits since another process ran it. */
  suspend(call: CallInReview): void {
    this.#open.set(call.request.id, { ...call, stop: new AbortController() });
  }

  /** A person's word: the first counts. False where nothing of that id waits. */
  answer(reviewId: string, decision: ReviewDecision): boolean {
    const open = this.#open.get(reviewId);
    if (open === undefined) return false;
    this.remove(reviewId);
    if (open.resolve !== undefined) open.resolve(decision);
    else this.#settle(settleReviewed(this.#executor.gate, open, decision));
    return true;
  }

  /** Whether a person looks at this call's result: it runs no more. */
  has(callId: string): boolean {
    return [...this.#open.values()].some(({ record }) => record.callId === callId);
  }

  /** Ends the review of a call that is stopped. False where none is open. */
  cancel(callId: string): boolean {
    for (const [id, { record }] of this.#open)
      if (record.callId === callId) return this.answer(id, stoppedReview);
    return false;
  }

  cancelAll(): void {
    for (const id of this.#open.keys()) this.answer(id, stoppedReview);
  }

  /** The call has ended: nobody needs the answer. */
  remove(reviewId: string): void {
    this.#open.get(reviewId)?.stop.abort();
    this.#open.delete(reviewId);
  }

  /** Whoever reviews in this process may answer, at once or while the chain waits. */
  async #show(open: OpenReview): Promise<void> {
    const { request, stop } = open;
    this.#open.set(request.id, open);
    const answer = await this.#executor.review(request, stop.signal);
    // Somebody else may have answered, or stopped the call, in the meantime.
    if (answer.decision !== "pending") this.answer(request.id, answer);
  }
}
