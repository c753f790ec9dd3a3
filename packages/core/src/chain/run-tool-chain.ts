import { newId } from "../base/id.ts";
import type { ApprovalDecision } from "../policy/approval.ts";
import type { ReviewDecision } from "../policy/review.ts";
import type { ChainEvent } from "./journal/chain-event.ts";
import { Chain } from "./loop/chain.ts";
import { runChain } from "./loop/chain-loop.ts";
import { checkOptions } from "./options/check-options.ts";
import type {
  ClientOutput,
  ToolChainOptions,
  FirstResponse,
  ChainResume,
} from "./options/tool-chain-options.ts";
import { Listeners } from "./options/callbacks.ts";
import type { ToolChainResult } from "./options/tool-chain-result.ts";
import type { ToolExecutor } from "../call/tool-executor.ts";
import type { ChainState } from "./journal/chain-result.ts";

export interface ToolChainRun {
  /** Never rejects: what went wrong is its `status` and `error`. */
  readonly result: Promise<ToolChainResult>;
  /** What happens from now on. The chain is never held back by who reads; ask before the next await to miss nothing. */
  events(): AsyncIterable<ChainEvent>;
  /** A person's word on an approval that was `pending`. False where it no longer waits here. */
  answer(approvalId: string, decision: ApprovalDecision): boolean;
  /** A person's word on a result whose review was `pending`. False where it no longer waits here. */
  answerReview(reviewId: string, decision: ReviewDecision): boolean;
  /** What a client's tool answered. False where no such call waits here. */
  submitOutput(output: ClientOutput): boolean;
  /** Stops one call; the turn goes on. */
  cancelCall(callId: string, reason?: string): boolean;
  /** Stops the chain at once. */
  abort(reason?: string): void;
  /** Lets go of the chain without writing an end: its journal carries it on elsewhere. */
  detach(reason: string): void;
}

/**
 * The loop: asks the model, runs the tools it calls beside one another behind the gate, gives it
 * the results, until it answers. Ends in `requires_action` where it waits for a person or a
 * client; `result.state` carries it on.
 *
 * @throws CapstanError `invalid_options` where there is no executor to run it on; all else that is
 *   wrong with the options is the result's `error`
 * @example
 * const run = runToolChain({ executor, model, contextMessages: [{ role: "user", content: "What is in this folder?" }] });
 * console.log((await run.result).responseContent);
 */
export function runToolChain(options: ToolChainOptions): ToolChainRun {
  const stream = new EventStream<ChainEvent>();
  const { options: checked, refusal } = checkOptions(options);
  const listeners = new Listeners(checked.callbacks, checked.onEvent);
  const runId = checked.runId ?? newId("run_");
  const chain = new Chain({ ...checked, runId, ...(refusal && { refusal }) }, listeners, {
    publish: (event) => {
      stream.push(event);
      listeners.notify(event);
    },
    hasListeners: () => stream.isRead || listeners.hasAny,
  });
  const { calls } = chain;
  const result = runChain(chain).finally(() => stream.end());
  return {
    result,
    events: () => stream.read(),
    answer: (approvalId, decision) => !chain.isOver && calls.answer(approvalId, decision),
    answerReview: (reviewId, decision) => !chain.isOver && calls.answerReview(reviewId, decision),
    submitOutput: (output) => !chain.isOver && calls.submit(output),
    cancelCall: (callId, reason = "a user stopped it") =>
      !chain.isOver && calls.cancel(callId, reason),
    abort: (reason = "it was stopped") => chain.abort(reason),
    detach: (reason) => chain.detach(reason),
  };
}

/** Events that a reader may be behind before it gets an error. */
const readerLimit = 10_000;

/**
 * Hands events to any number of readers. Nobody is waited for: a reader that falls far behind
 * gets an error instead of a memory without bound. Without readers an event costs nothing.
 */
class EventStream<T> {
  readonly #readers = new Set<ReadableStreamDefaultController<T>>();
  #ended = false;

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  push(event: T): void {
    for (const reader of this.#readers) {
      reader.enqueue(event);
      if ((reader.desiredSize ?? 0) > 0) continue;
      const message = `This reader fell ${readerLimit} events behind. Read faster, or use onEvent.`;
      reader.error(new Error(message));
      this.#readers.delete(reader);
    }
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.close();
    this.#readers.clear();
  }

  /** What is pushed from this call on. */
  read(): AsyncIterable<T> {
    let own: ReadableStreamDefaultController<T>;
    return new ReadableStream<T>(
      {
        start: (reader) => {
          own = reader;
          if (this.#ended) reader.close();
          else this.#readers.add(reader);
        },
        cancel: () => void this.#readers.delete(own),
      },
      { highWaterMark: readerLimit + 1 },
    );
  }
}

type ExecuteToolChainOptions = Omit<ToolChainOptions, "executor" | "firstResponse">;

/**
 * Carries a first answer of a model on: runs its calls and asks again until it answers. Never
 * rejects for what a model or a tool did.
 *
 * @example const result = await executeToolChain(executor, { message }, { model, contextMessages });
 */
export function executeToolChain(
  executor: ToolExecutor,
  firstResponse: FirstResponse,
  options: ExecuteToolChainOptions,
): Promise<ToolChainResult> {
  return runToolChain({ ...options, executor, firstResponse }).result;
}

type ResumeToolChainOptions = Omit<ToolChainOptions, "executor" | "firstResponse" | "resume"> &
  Pick<ChainResume, "answers" | "reviews" | "outputs" | "waited">;

/**
 * Carries a stopped chain on: one that waits (with some or all of the answers), one that was
 * aborted or failed, or one whose process ended, from its journal. A call that has ended is not
 * made again; one that had begun is made again only if its tool says that this is safe, and else
 * ends as `outcome_unknown`. What is still not answered is waited for again.
 *
 * @param state plain JSON: a result's `state`, or `chainStateOf` a journal's writes
 * @example
 * const { state } = await runToolChain(options).result; // requires_action
 * const answers = [{ callId, decision: { decision: "allow" } }] as const;
 * const result = await resumeToolChain(executor, state, { model, contextMessages, answers }).result;
 */
export function resumeToolChain(
  executor: ToolExecutor,
  state: ChainState,
  { answers, reviews, outputs, waited, ...options }: ResumeToolChainOptions,
): ToolChainRun {
  const resume = {
    state,
    ...(answers && { answers }),
    ...(reviews && { reviews }),
    ...(outputs && { outputs }),
    ...(waited && { waited }),
  };
  return runToolChain({ ...options, executor, resume });
}
