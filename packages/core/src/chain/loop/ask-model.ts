import type { AssistantMessage } from "../../model/message.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import { type ChainEnding, modelFailure, stopped } from "./chain-ending.ts";
import type { ReachedLimit } from "../journal/chain-result.ts";
import { changedRequest, chainRequest, takesReferences } from "./chain-request.ts";
import { roundTools } from "./round-tools.ts";
import { addUsage, type Usage } from "../../model/usage.ts";
import { answerProblem, correctionOf, formatError } from "./check-answer.ts";
import type { FinishReason, ModelRequest } from "../../model/model.ts";
import { ModelError } from "../../model/model-error.ts";
import { ModelAnswer } from "./model-answer.ts";
import { checkEvent, checkedStream } from "../../model/check-stream.ts";
import type { Chain } from "./chain.ts";
import { turnSources } from "./turn.ts";

/**
 * Asks the model once. When the promise resolves, the answer is appended to the journal, but not
 * yet committed.
 */
export async function askModel(
  chain: Chain,
  {
    offer,
    limit,
    again,
  }: {
    readonly offer: ToolOffer;
    readonly limit: ReachedLimit | undefined;
    readonly again: boolean;
  },
): Promise<ChainEnding | AssistantMessage> {
  const { executor, chatOption = {} } = chain.options;
  const { signal } = chain;
  const clock = executor.gate.clock;
  if (limit !== undefined && chain.limit === undefined) {
    chain.limit = limit;
    chain.recorder.appendEvent({ type: "limit.reached", at: clock.now(), ...limit });
  }
  chain.turn.beginRound(clock);
  const notes = {
    limit,
    again,
    advice: chain.budget.failures.takeAdvice(),
    takesReferences: takesReferences(offer),
    hasUserInput: chain.turn.hasUserInput,
  };
  const last = limit !== undefined;
  const turn = chain.turn.requestMessages(chain.calls.records);
  const written = chainRequest(chain.options, turn, notes);
  const change = chain.options.callbacks?.onBeforeSendToLLM;
  const request =
    written.status === "failed" || change === undefined
      ? written
      : await chain.budget.withDeadline(
          signal,
          last,
          (inTime) => changedRequest(written.messages, change, inTime),
          "onBeforeSendToLLM",
        );
  if (request.status === "failed") return chain.stopped() ?? stopped(request.error);
  if (request.status === "stopped") return stopped(chain.failure);
  const first = chain.turn.round - chain.roundsBefore === 1;
  const isAskedFor = (toolId: string): boolean => chain.isAskedFor(toolId);
  const { tools, settings, error } = roundTools(chatOption, { offer, last, first, isAskedFor });
  if (error !== undefined) return stopped(error);
  const { responseFormat: format } = settings;
  let { messages } = request;
  let usage: Usage | undefined;
  for (let isLastTry = false; ; isLastTry = true) {
    const step = await chain.budget.withDeadline(signal, last, (inTime) =>
      modelStep(chain, { ...settings, messages, tools }, offer, inTime),
    );
    if (step.failure !== undefined) {
      chain.turn.addCutOff(step.message);
      return chain.stopped() ?? modelFailure(step.failure);
    }
    const { message, finishReason } = step;
    const used = chain.budget.usageOf(step, messages, tools);
    usage = usage === undefined ? used : addUsage(usage, used);
    const problem = answerProblem(step, format, executor.gate.patternEngine);
    if (problem === undefined) {
      chain.turn.finishRound({ message, usage, finishReason }, clock);
      return message;
    }
    const reason = `The answer does not match the JSON schema: ${problem}.`;
    chain.recorder.appendEvent({ type: "model.restarted", reason });
    if (isLastTry) return { status: "error", error: formatError(format, problem) };
    messages = [...messages, ...correctionOf(message, format, problem)];
  }
}

const noNames: ReadonlySet<string> = new Set();

interface ModelStep {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** Why the step stopped early; the message then has the text so far, without calls. */
  readonly failure?: unknown;
}

/** Asks the model once, and passes its output on as it arrives. Never rejects. */
async function modelStep(
  { options: { model }, recorder, ids, turn, calls }: Chain,
  request: ModelRequest,
  { clientNames }: ToolOffer,
  signal: AbortSignal,
): Promise<ModelStep> {
  // With a tool choice of `none`, no call may reach the client.
  const names = request.toolChoice === "none" ? noNames : clientNames;
  const sources = () => turnSources(turn.messages, calls.records);
  const answer = new ModelAnswer({ recorder, ids, clientNames: names, sources });
  let failure: unknown;
  try {
    const stream = checkedStream(model, request, signal);
    await readStream(stream, signal, (event) => {
      answer.add(checkEvent(event));
      return answer.isFinished ? "enough" : recorder.drained();
    });
    if (!answer.isFinished) {
      throw new ModelError({
        code: "connection",
        message: "The model's answer ended before it was complete. Try again.",
      });
    }
  } catch (thrown) {
    failure = thrown ?? new Error("The model failed without an error message.");
  }
  const isCut = failure !== undefined;
  const message = answer.end(isCut);
  const { finishReason, usage } = answer;
  return { message, finishReason, usage, ...(isCut && { failure }) };
}

/**
 * Passes each value of a stream to `take` as it arrives, until `take` returns `"enough"`, the
 * stream ends or the signal aborts. A stream that ignores the signal is abandoned. If `take`
 * returns a promise, the stream waits for it.
 *
 * @throws the error of the stream or of `take`; the signal's reason if it aborts
 */
export function readStream<T>(
  values: AsyncIterator<T>,
  signal: AbortSignal,
  take: (value: T) => "enough" | Promise<unknown> | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;

  const end = (settle: () => void): void => {
    isOver = true;
    signal.removeEventListener("abort", stop);
    settle();
  };
  const leave = (settle: () => void): void => {
    if (isOver) return;
    end(settle);
    closeStream(values);
  };
  const stop = (): void => leave(() => reject(signal.reason as Error));
  const read = async (): Promise<void> => {
    try {
      while (!isOver) {
        const result = await values.next();
        if (isOver) return;
        if (result.done === true) return end(resolve);
        const more = take(result.value);
        if (more === "enough") leave(resolve);
        else if (more !== undefined) await more;
      }
    } catch (thrown) {
      leave(() => reject(thrown));
    }
  };

  if (signal.aborted) stop();
  else {
    signal.addEventListener("abort", stop, { once: true });
    void read();
  }
  return promise;
}

/**
 * Closes a stream without waiting, because it may never finish closing. Its later values are
 * ignored.
 */
function closeStream(values: AsyncIterator<unknown>): void {
  try {
    // The result is ignored.
    Promise.resolve(values.return?.()).catch(() => {});
  } catch {
    // The error is ignored too.
  }
}
