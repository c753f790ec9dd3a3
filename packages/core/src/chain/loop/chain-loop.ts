import { estimateTokens } from "../../text/truncate.ts";
import { neutralise } from "../../text/neutralise.ts";
import {
  neutraliseMessage,
  type AssistantMessage,
  type ToolCallRequest,
} from "../../model/message.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import type { ReviewDecision } from "../../policy/review.ts";
import { type Caller, callerWith } from "../../tool/caller.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import {
  type ChainEnding,
  emptyAnswer,
  loopError,
  modelFailure,
  stopped,
  watchSignals,
} from "./chain-ending.ts";
import { defaultChainLimits, limitsProblem } from "../limits/chain-limits.ts";
import type { ReachedLimit, ChainError } from "../journal/chain-result.ts";
import { callName, ChainIds } from "./chain-ids.ts";
import { chainReport } from "./chain-report.ts";
import { chainRequest, roundSettings } from "./chain-request.ts";
import type { JournalWrite } from "../journal/journal.ts";
import { modelStep } from "./model-step.ts";
import { proposeCalls } from "../calls/propose-calls.ts";
import { type RoundCall, TurnCalls } from "../calls/turn-calls.ts";
import { Recorder, type RecorderOptions } from "../journal/recorder.ts";
import { releaseCalls, reserveCalls } from "../calls/call-reservations.ts";
import { reserveResultNames, resumeCalls } from "../calls/resume-calls.ts";
import { canBeReadAgain, ResultCompaction } from "./result-compaction.ts";
import { roundOffer, takesReferences } from "./round-offer.ts";
import type { LoopOptions } from "../options/check-options.ts";
import type { ChainResume, ClientOutput, FirstResponse } from "../options/tool-chain-options.ts";
import type { Listeners } from "../options/listeners.ts";
import type { ToolChainResult } from "../options/tool-chain-result.ts";
import { cancelledBeforeStart } from "../../call/gate/settle-without-result.ts";
import { Turn } from "./turn.ts";
import { TurnBudget } from "../limits/turn-budget.ts";
import { noUsage } from "../../model/usage.ts";

/** One run of the loop. Use `runToolChain`. */
export class ChainLoop {
  readonly #options: LoopOptions;
  readonly #abort = new AbortController();
  readonly #recorder: Recorder;
  readonly #calls: TurnCalls;
  readonly #turn: Turn;
  readonly #ids: ChainIds;
  readonly #startTime: number;
  readonly #caller: Caller;
  readonly #offer: () => ToolOffer;
  #limit: ReachedLimit | undefined;
  readonly #budget: TurnBudget;
  readonly #listeners: Listeners;
  /** Rounds of the chain that this one took over: each has its own budget. */
  readonly #roundsBefore: number;
  #failure: ChainError | undefined;
  #hasReservedCalls = false;
  #stopped = false;

  constructor(
    options: LoopOptions,
    listeners: Listeners,
    sinks: Pick<RecorderOptions, "publish" | "hasListeners">,
  ) {
    this.#options = options;
    this.#offer = roundOffer(options);
    this.#listeners = listeners;
    const { executor, resume, model } = options;
    this.#budget = new TurnBudget({
      limits: options,
      model,
      clock: executor.gate.clock,
      elapsedBefore: resume?.state.elapsed ?? 0,
      countTokens: executor.gate.countTokens,
    });
    this.#caller = callerWith(executor.gate.caller, options.caller);
    const now = executor.gate.clock.now();
    this.#startTime = resume?.state.startTime ?? now;
    this.#roundsBefore = resume?.adopted === true ? resume.state.round : 0;
    this.#recorder = new Recorder({
      journal: options.journal,
      variables: executor.variables,
      ...sinks,
      onLost: ({ code, message }) => {
        this.#failure ??= { code, message, phase: "chain" };
        this.#abort.abort(new Error(message));
        this.#calls.cancelAll(message);
      },
    });
    const { compactAfter = defaultChainLimits.compactAfter } = options;
    const compaction = new ResultCompaction(compactAfter, (call) => canBeReadAgain(executor, call));
    this.#turn = new Turn(this.#recorder, resume?.state, compaction);
    this.#ids = new ChainIds(options.contextMessages, (id) => this.#calls.records.has(id));
    this.#calls = new TurnCalls({
      executor,
      recorder: this.#recorder,
      signal: this.#abort.signal,
      newItemId: () => this.#ids.item(),
      checkToolResults: options.checkToolResults ?? true,
      requireApproval: options.requireApproval,
      // With a journal the records are the truth, and results may be many and large.
      keepResults: options.journal === undefined,
      caller: this.#caller,
      records: resume?.state.calls ?? [],
    });
  }

  answer(approvalId: string, decision: ApprovalDecision): boolean {
    return !this.#stopped && this.#calls.answer(approvalId, decision);
  }

  answerReview(reviewId: string, decision: ReviewDecision): boolean {
    return !this.#stopped && this.#calls.answerReview(reviewId, decision);
  }

  submitOutput(output: ClientOutput): boolean {
    return !this.#stopped && this.#calls.submit(output);
  }

  cancelCall(callId: string, reason: string): boolean {
    return !this.#stopped && this.#calls.cancel(callId, reason);
  }

  abort(reason: string): void {
    this.#abortWith({ code: "aborted", message: reason, phase: "chain" });
  }

  #abortWith(error: ChainError): void {
    if (this.#stopped || this.#abort.signal.aborted) return;
    this.#failure ??= error;
    this.#abort.abort(new Error(error.message));
    this.#calls.cancelAll(error.message);
  }

  detach(reason: string): void {
    if (this.#stopped) return;
    this.#recorder.detach();
    this.#failure ??= { code: "detached", message: reason, phase: "chain" };
    this.#abort.abort(new Error(reason));
    this.#calls.cancelAll(reason);
  }

  async run(): Promise<ToolChainResult> {
    const { signal, abortController } = this.#options;
    using _watched = watchSignals([signal, abortController?.signal], (error) =>
      this.#abortWith(error),
    );
    const disarm = this.#budget.onTimeOver(() =>
      this.#calls.stopRunning("the turn's time is over"),
    );
    let ended: ChainEnding;
    try {
      ended = await this.#loop();
    } catch (thrown) {
      this.#calls.cancelAll("the loop failed");
      await this.#calls.idle();
      ended = { status: "error", error: loopError(thrown) };
    } finally {
      disarm();
    }
    this.#stopped = true;
    return await this.#end(ended);
  }

  async #loop(): Promise<ChainEnding> {
    const { executor, model, resume, inputMessages = [], firstResponse } = this.#options;
    // Whoever asked for the chain has it before anything of it happens.
    await Promise.resolve();
    const at = executor.gate.clock.now();
    if (resume === undefined || resume.adopted === true) {
      this.#recorder.appendEvent({ type: "chain.started", at, model: model.id });
    } else {
      this.#recorder.appendEvent({ type: "chain.resumed", at });
      // How often it was cut off is counted by this: it may be what brings its processes down.
      if (resume.waited !== true) await this.#recorder.committed();
    }
    const problem = this.#options.refusal ?? limitsProblem(this.#options, model);
    if (problem !== undefined) return { status: "error", error: problem };
    if (resume !== undefined) {
      const ending = await this.#resume(resume);
      if (ending !== undefined) return ending;
      const finalMessage = this.#finalMessage();
      if (finalMessage !== undefined && inputMessages.length === 0) return { status: "completed" };
      if (finalMessage !== undefined) this.#turn.addMessage(finalMessage);
      // Its process may have ended before it could write that it was done.
      if (this.#turn.isAnswered && inputMessages.length === 0) return { status: "completed" };
    }
    this.#turn.addInput(inputMessages.map(neutraliseMessage));
    if (firstResponse !== undefined) {
      const ending = await this.#continueFrom(firstResponse);
      if (ending !== undefined) return ending;
      if (this.#finalMessage() !== undefined) return { status: "completed" };
    }

    let again = false;
    for (;;) {
      const ended = this.#stop();
      if (ended !== undefined) return ended;
      const offer = this.#offer();
      const rounds = this.#turn.round - this.#roundsBefore;
      const limit = this.#budget.reached(rounds, this.#turn.usage, offer.clientNames.size > 0);
      const step = await this.#ask(offer, limit, again);
      if ("status" in step) return step;
      const requests = step.tool_calls ?? [];
      if (requests.length > 0) {
        const now = limit ?? this.#budget.reached(0, this.#turn.usage);
        const waits = await this.#runRound(requests, offer, now);
        if (waits !== undefined) return waits;
        if (this.#finalMessage() !== undefined) return { status: "completed" };
      }
      if (requests.length === 0 || limit !== undefined) {
        if (step.content.trim() !== "") return { status: "completed" };
        if (again) return emptyAnswer(this.#turn.finishReason);
      }
      // What was called is an answer of a kind: who then says nothing is asked once more again.
      again = requests.length === 0 || limit !== undefined;
    }
  }

  /** Takes the chain up where it stopped; an ending where it goes no further. */
  async #resume(resume: ChainResume): Promise<ChainEnding | undefined> {
    const { executor, journal } = this.#options;
    // A journal has its own say in who carries a chain on.
    const taken = journal === undefined ? reserveCalls(executor, resume.state.calls) : undefined;
    if (taken !== undefined) return { status: "error", error: taken };
    this.#hasReservedCalls = true;
    this.#budget.restore(resume.state.calls);
    if (resume.close === undefined) this.#turn.dropCutOff(resume.state);
    const { close } = resume;
    const requests = this.#turn.lastRequests();
    const open = new Set(requests.map(({ id }) => id));
    this.#budget.restoreFailures(resume.state.calls.filter(({ callId }) => !open.has(callId)));
    // What was never proposed was never run. It gets its names before anything runs.
    reserveResultNames(executor, resume.state.calls);
    const limit = this.#budget.reached(0, this.#turn.usage);
    const proposed = await this.#propose(requests, this.#offer(), limit, close);
    const problems = resumeCalls({
      executor,
      calls: this.#calls,
      recorder: this.#recorder,
      resume,
    });
    for (const problem of problems) this.#listeners.report(problem);
    const waits = await this.#runCalls(requests, proposed);
    if (close === undefined) return waits;
    return stopped(close);
  }

  /** The caller asked the model first: its answer is this turn's first round. */
  async #continueFrom({
    message,
    usage: given = noUsage,
    finishReason = "tool_calls",
  }: FirstResponse): Promise<ChainEnding | undefined> {
    const { executor, contextMessages } = this.#options;
    const { clock } = executor.gate;
    this.#turn.beginRound(clock);
    const requests = (message.tool_calls ?? []).map(({ id, function: called, ...more }) => ({
      ...more,
      id: this.#ids.call(id),
      function: { ...called, name: callName(called.name) },
    }));
    const content = neutralise(message.content);
    const safe = { ...message, content, ...(requests.length > 0 && { tool_calls: requests }) };
    const usage = this.#budget.usageOf({ usage: given, message: safe }, contextMessages, []);
    this.#turn.finishRound({ message: safe, usage, finishReason }, clock);
    if (requests.length === 0 && message.content.trim() !== "") return { status: "completed" };
    const limit = this.#budget.reached(0, this.#turn.usage);
    return this.#runRound(requests, this.#offer(), limit);
  }

  /** One question to the model. Its answer is on its way to the journal: who acts on it waits for that. */
  async #ask(
    offer: ToolOffer,
    limit: ReachedLimit | undefined,
    again: boolean,
  ): Promise<ChainEnding | AssistantMessage> {
    const { executor, model, chatOption = {} } = this.#options;
    const { signal } = this.#abort;
    const clock = executor.gate.clock;
    if (limit !== undefined && this.#limit === undefined) {
      this.#limit = limit;
      this.#recorder.appendEvent({ type: "limit.reached", at: clock.now(), ...limit });
    }
    this.#turn.beginRound(clock);
    const notes = {
      limit,
      again,
      advice: this.#budget.takeAdvice(),
      takesReferences: takesReferences(offer),
      hasUserInput: this.#turn.hasUserInput,
    };
    const last = limit !== undefined;
    const turn = this.#turn.requestMessages(this.#calls.records);
    const preparing =
      this.#options.callbacks?.onBeforeSendToLLM === undefined
        ? chainRequest(this.#options, turn, notes, signal)
        : this.#budget.withDeadline(
            signal,
            last,
            async (inTime) => chainRequest(this.#options, turn, notes, inTime),
            "onBeforeSendToLLM",
          );
    const request = preparing instanceof Promise ? await preparing : preparing;
    if (request.status === "failed") return this.#stop() ?? stopped(request.error);
    if (request.status === "stopped") return stopped(this.#failure);
    const tools = last ? [] : offer.definitions;
    const first = this.#turn.round === 1;
    const step = await this.#budget.withDeadline(signal, last, (inTime) =>
      modelStep({
        model,
        messages: request.messages,
        tools,
        settings: roundSettings(chatOption, { last, first, tools: offer.definitions.length }),
        recorder: this.#recorder,
        signal: inTime,
        clientNames: offer.clientNames,
        ids: this.#ids,
      }),
    );
    if (step.failure !== undefined) {
      this.#turn.addCutOff(step.message);
      return this.#stop() ?? modelFailure(step.failure);
    }
    const { message, finishReason } = step;
    const usage = this.#budget.usageOf(step, request.messages, tools);
    this.#turn.finishRound({ message, usage, finishReason }, clock);
    return message;
  }

  /** Proposes what the model asked for, and runs it. Undefined once all have ended. */
  async #runRound(
    requests: readonly ToolCallRequest[],
    offer: ToolOffer,
    limit: ReachedLimit | undefined,
  ): Promise<ChainEnding | undefined> {
    return this.#runCalls(requests, await this.#propose(requests, offer, limit));
  }

  /** Passes the calls of the model to the gate. */
  #propose(
    requests: readonly ToolCallRequest[],
    offer: ToolOffer,
    limit: ReachedLimit | undefined,
    close?: ChainError,
  ): Promise<readonly RoundCall[]> {
    const { signal } = this.#abort;
    const { executor, runId, requireApproval } = this.#options;
    return proposeCalls(requests, {
      gate: executor.gate,
      known: this.#calls.records,
      offer,
      runId,
      requireApproval,
      caller: this.#caller,
      round: this.#turn.round,
      refusal: (call, n) => {
        if (close !== undefined) return cancelledBeforeStart(call.name, close.message);
        if (signal.aborted) return cancelledBeforeStart(call.name, this.#failure?.message);
        const error = this.#budget.admitCall(call, n, limit);
        return error === undefined ? undefined : { status: "error", error };
      },
      failed: (thrown) => {
        const error = loopError(thrown);
        this.#abortWith(error);
        return error.message;
      },
      signal,
    });
  }

  /** Runs the calls of a round. */
  async #runCalls(
    requests: readonly ToolCallRequest[],
    proposed: readonly RoundCall[],
  ): Promise<ChainEnding | undefined> {
    this.#calls.addRound(proposed);
    if (this.#calls.isMoving) await this.#calls.idle();
    return this.#endRound(requests);
  }

  /** Nothing of the round moves any more. */
  #endRound(requests: readonly ToolCallRequest[]): ChainEnding | undefined {
    const waits = this.#stop() ?? this.#waiting();
    if (waits !== undefined) return waits;
    this.#turn.addResults(requests, this.#calls.records);
    for (const { id } of requests) {
      const record = this.#calls.records.get(id);
      if (record !== undefined) this.#budget.addEnded(record);
    }
    return undefined;
  }

  #waiting(): ChainEnding | undefined {
    if (this.#calls.waiting().length === 0) return undefined;
    // From here on an answer must find the chain suspended.
    this.#stopped = true;
    return { status: "requires_action" };
  }

  #stop(): ChainEnding | undefined {
    return this.#abort.signal.aborted ? stopped(this.#failure) : undefined;
  }

  /** The answer that final tools gave in the round that the turn ends with, if they did. */
  #finalMessage(cut = false): AssistantMessage | undefined {
    const requests = this.#turn.lastRequests();
    if (requests.length === 0) return undefined;
    const content = this.#calls.finalText(requests, { cut });
    return content === "" ? undefined : { role: "assistant", content: neutralise(content) };
  }

  async #end(ending: ChainEnding): Promise<ToolChainResult> {
    const lastWrites: JournalWrite[] = [];
    if (ending.status !== "requires_action") {
      this.#calls.cancelAll("the turn ended");
      await this.#calls.idle();
      // Of a turn that was stopped, what a reader was shown of an answer stays said.
      const cut = ending.status !== "completed";
      const message = this.#finalMessage(cut);
      if (message !== undefined) lastWrites.push(this.#turn.append(message, cut));
    }
    const { executor, contextMessages, model } = this.#options;
    const endTime = executor.gate.clock.now();
    const { record, event, result } = chainReport({
      ending,
      contextMessages,
      ...this.#turn.facts(),
      calls: [...this.#calls.records.values()],
      results: this.#calls.results,
      waiting: ending.status === "requires_action" ? this.#calls.waiting() : [],
      limit: this.#limit,
      prices: model.prices,
      problems: this.#listeners.problems,
      startTime: this.#startTime,
      endTime,
      estimated: executor.gate.countTokens === estimateTokens,
      elapsed: this.#budget.elapsed,
    });
    this.#recorder.append([
      ...lastWrites,
      ...(this.#options.journal === undefined
        ? []
        : [{ type: "result", result: record() } as const]),
      { type: "event", event },
    ]);
    const written = await this.#recorder.committed();
    this.#recorder.close();
    if (this.#hasReservedCalls) releaseCalls(executor, this.#calls.records.values());
    if (written || this.#failure === undefined) return result;
    return { ...result, status: "error", error: this.#failure };
  }
}
