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

/** A running chain: its result, its events, and the means to answer and stop it. */
export interface ToolChainRun {
  /** The result of the chain. Never rejects: its `status` and `error` report failures. */
  readonly result: Promise<ToolChainResult>;
  /**
   * Yields the events from now on. Readers never slow down the chain. To get all events, call this
   * before the next `await`.
   */
  events(): AsyncIterable<ChainEvent>;
  /**
   * Passes a user's answer to an approval that was `pending`. Returns false if it no longer waits
   * here.
   */
  answer(approvalId: string, decision: ApprovalDecision): boolean;
  /**
   * Passes a user's review of a result that was `pending`. Returns false if it no longer waits
   * here.
   */
  answerReview(reviewId: string, decision: ReviewDecision): boolean;
  /** Passes the output of a client's tool. Returns false if no such call waits here. */
  submitOutput(output: ClientOutput): boolean;
  /** Stops one call; the turn continues. */
  cancelCall(callId: string, reason?: string): boolean;
  /** Stops the chain immediately. */
  abort(reason?: string): void;
  /**
   * Stops this chain without writing an end to its journal, so that another process can resume it.
   */
  detach(reason: string): void;
}

/**
 * Runs the loop: asks the model, runs its tool calls in parallel behind the gate, returns the
 * results to the model, and repeats this until the model answers. Ends in `requires_action` if it
 * waits for a user or a client; `result.state` resumes it.
 *
 * @throws CapstanError `invalid_options` without an executor; other invalid options are the
 * result's `error`
 * @example
 * const contextMessages = [{ role: "user", content: "What is in this folder?" }] as const;
 * const run = runToolChain({ executor, model, contextMessages });
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

/** A reader gets an error when it is more than this number of events behind. */
const readerLimit = 10_000;

/**
 * Passes events to any number of readers without waiting for them. A reader that falls too far
 * behind gets an error, which bounds the memory. Without readers, events are not stored.
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

  /** Yields the events that are pushed after this call. */
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
 * Continues from a first answer of a model: runs its calls, and asks again until the model answers.
 * Never rejects for an error of the model or a tool.
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
 * Resumes a stopped chain. The chain may be waiting for answers (pass all or only some), may have
 * been aborted, or may have failed. If its process ended, its journal has the state. A call that
 * has ended does not run again. A started call runs again only if its tool declares this as safe,
 * and otherwise ends as `outcome_unknown`. Requests without an answer wait again.
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
