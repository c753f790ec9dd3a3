import { errorMessage } from "../errors/error-message.ts";
import type { CallRecord } from "../executor/call-record.ts";
import { newId } from "../executor/new-id.ts";
import { propose } from "../executor/propose.ts";
import type { OfferOptions } from "../executor/tool-executor.ts";
import type { AssistantMessage, Message, ToolCallRequest } from "../model/message.ts";
import type { FinishReason, Usage } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import type { ApprovalDecision } from "../policy/approval.ts";
import type { ToolErrorData } from "../tool/tool-error.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { ChainError, ChainResultRecord, ChainState, ChainStats } from "./chain-result.ts";
import type { JournalWrite } from "./journal.ts";
import { modelStep, noUsage } from "./model-step.ts";
import { OpenCalls } from "./open-calls.ts";
import { Recorder } from "./recorder.ts";
import { reopen } from "./reopen.ts";
import type { ClientOutput, FirstResponse, ToolChainOptions } from "./tool-chain-options.ts";
import type { ToolCallHistoryEntry, ToolChainResult } from "./tool-chain-result.ts";
import { answerText, turnLog } from "./turn-log.ts";
import { toolMessage, turnMessages } from "./turn-messages.ts";

type Ended = {
  readonly status: "completed" | "aborted" | "error" | "timeout" | "requires_action";
  readonly error?: ChainError;
};

/** What a model is told at the end of its rounds, and after an empty answer. Version 1. */
const lastRound =
  "No more tools may be called in this turn. Answer now with what you have, and say what is missing.";
const sayMore = "Your answer was empty. Answer the user in words.";

/** One run of the loop. Use `runToolChain`. */
export class ChainLoop {
  readonly #options: ToolChainOptions & { readonly runId: string };
  readonly #abort = new AbortController();
  readonly #recorder: Recorder;
  readonly #calls: OpenCalls;
  readonly #messages: Message[];
  /** The messages with their calls' results, as the model takes them; complete up to the open round. */
  #sent: Message[] | undefined;
  readonly #llmUsage = new Map<number, Usage>();
  readonly #itemPrefix = newId("").slice(0, 8);
  readonly #startTime: number;
  readonly #resumedAt: number;
  readonly #offered: OfferOptions;
  #items = 0;
  #serverCalls = 0;
  #round: number;
  #usage: Usage;
  #finishReason: FinishReason | undefined;
  #failure: ChainError | undefined;
  #stopped = false;

  constructor(
    options: ToolChainOptions & { readonly runId: string },
    publish: (event: ChainEvent) => void,
  ) {
    this.#options = options;
    const { executor, resume, groups, clientTools, allowTool } = options;
    this.#offered = {
      ...(groups !== undefined && { groups }),
      ...(clientTools !== undefined && { clientTools }),
      ...(allowTool !== undefined && { allowTool }),
    };
    const now = executor.gate.clock.now();
    this.#resumedAt = now;
    this.#startTime = resume?.state.startTime ?? now;
    this.#round = resume?.state.round ?? 0;
    this.#usage = resume?.state.usage ?? noUsage;
    this.#messages = [...(resume?.state.messages ?? [])];
    this.#recorder = new Recorder({
      journal: options.journal,
      variables: executor.variables,
      publish,
      onLost: ({ code, message }) => {
        this.#failure ??= { code, message, phase: "chain" };
        this.#abort.abort(new Error(message));
      },
    });
    this.#calls = new OpenCalls({
      executor,
      recorder: this.#recorder,
      signal: this.#abort.signal,
      newItemId: () => this.#newItemId(),
      records: resume?.state.calls ?? [],
    });
  }

  answer(approvalId: string, decision: ApprovalDecision): boolean {
    return !this.#stopped && this.#calls.answer(approvalId, decision);
  }

  submitOutput(output: ClientOutput): boolean {
    return !this.#stopped && this.#calls.submit(output);
  }

  cancelCall(callId: string, reason: string): boolean {
    return !this.#stopped && this.#calls.cancel(callId, reason);
  }

  abort(reason: string): void {
    if (this.#stopped || this.#abort.signal.aborted) return;
    this.#failure ??= { code: "aborted", message: reason, phase: "chain" };
    this.#abort.abort(new Error(reason));
    this.#calls.cancelAll(reason);
  }

  detach(reason: string): void {
    if (this.#stopped) return;
    this.#recorder.detach();
    this.#failure ??= { code: "detached", message: reason, phase: "chain" };
    this.#abort.abort(new Error(reason));
    this.#calls.cancelAll(reason);
  }

  async run(): Promise<ToolChainResult> {
    const { signal } = this.#options;
    const onAbort = () => this.abort(abortReason(signal));
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    let ended: Ended;
    try {
      ended = await this.#loop();
    } catch (thrown) {
      this.#calls.cancelAll("the loop failed");
      await this.#calls.idle();
      ended = {
        status: "error",
        error: { code: "internal", message: errorMessage(thrown), phase: "chain" },
      };
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
    this.#stopped = true;
    return this.#end(ended);
  }

  async #loop(): Promise<Ended> {
    const {
      executor,
      model,
      resume,
      inputMessages = [],
      firstResponse,
      maxRounds = 10,
    } = this.#options;
    const at = executor.gate.clock.now();
    await this.#recorder.event(
      resume === undefined || resume.adopted === true
        ? { type: "chain.started", at, model: model.id }
        : { type: "chain.resumed", at },
    );
    if (resume !== undefined) {
      reopen({ executor, calls: this.#calls, recorder: this.#recorder, resume });
      if (resume.close !== undefined) {
        await this.#calls.idle();
        return {
          status: resume.close.code === "aborted" ? "aborted" : "error",
          error: resume.close,
        };
      }
      const waits = await this.#settleRound();
      if (waits !== undefined) return waits;
    }
    if (inputMessages.length > 0) {
      this.#messages.push(...inputMessages);
      await this.#recorder.commit(
        inputMessages.map((message) => ({ type: "message", round: this.#round, message })),
      );
    }
    if (firstResponse !== undefined) {
      const waits = await this.#continueFrom(firstResponse);
      if (waits !== undefined) return waits;
    }

    let asked = false;
    for (;;) {
      const stopped = this.#stop();
      if (stopped !== undefined) return stopped;
      const last = this.#round >= maxRounds;
      const step = await this.#ask(last, asked);
      if ("status" in step) return step;
      const { message } = step;
      const requests = message.tool_calls ?? [];
      if (requests.length === 0) {
        if (message.content.trim() !== "" || asked) return { status: "completed" };
        asked = true;
        continue;
      }
      const waits = await this.#runCalls(requests, step.offer, last);
      if (waits !== undefined) return waits;
      if (last) return { status: "completed" };
    }
  }

  /** The caller asked the model first: its answer is this turn's first round. */
  async #continueFrom({
    message,
    usage = noUsage,
    finishReason = "tool_calls",
  }: FirstResponse): Promise<Ended | undefined> {
    const round = ++this.#round;
    this.#usage = addUsage(this.#usage, usage);
    this.#llmUsage.set(round, usage);
    this.#finishReason = finishReason;
    const at = this.#options.executor.gate.clock.now();
    await this.#recorder.event({ type: "round.started", round, at });
    await this.#say(round, message, [
      { type: "event", event: { type: "round.ended", round, at, finishReason, usage } },
    ]);
    const requests = message.tool_calls ?? [];
    if (requests.length === 0) return { status: "completed" };
    return this.#runCalls(requests, this.#offer(), false);
  }

  #offer(): ToolOffer {
    return this.#options.executor.offer(this.#offered);
  }

  /** One question to the model, and its answer in the journal. */
  async #ask(
    last: boolean,
    again: boolean,
  ): Promise<Ended | { readonly message: AssistantMessage; readonly offer: ToolOffer }> {
    const {
      executor,
      model,
      contextMessages,
      systemPrompt,
      chatOption = {},
      onBeforeSendToLLM,
    } = this.#options;
    const clock = executor.gate.clock;
    this.#round++;
    const round = this.#round;
    const offer = this.#offer();
    const prompt = typeof systemPrompt === "function" ? systemPrompt() : (systemPrompt ?? "");
    const note = last ? lastRound : again ? sayMore : undefined;
    const messages: Message[] = [
      ...(prompt === "" ? [] : [{ role: "system", content: prompt } as const]),
      ...contextMessages,
      ...this.#turn(),
      ...(note === undefined ? [] : [{ role: "developer", content: note } as const]),
    ];
    await this.#recorder.event({ type: "round.started", round, at: clock.now() });
    const step = await modelStep({
      model,
      messages: (await onBeforeSendToLLM?.(messages)) ?? messages,
      tools: last ? [] : offer.definitions,
      settings: settingsFor(chatOption, {
        last,
        first: round === 1,
        tools: offer.definitions.length,
      }),
      recorder: this.#recorder,
      signal: this.#abort.signal,
      clientNames: offer.clientNames,
      newItemId: () => this.#newItemId(),
      uniqueCallId: (id) => this.#uniqueCallId(id),
    });
    this.#usage = addUsage(this.#usage, step.usage);
    this.#llmUsage.set(round, step.usage);
    if (step.failure !== undefined) {
      // What was said stays said: it is part of the record, without the calls that were cut off.
      if (step.message.content !== "") await this.#say(round, step.message, []);
      return this.#stop() ?? failed(step.failure);
    }
    this.#finishReason = step.finishReason;
    const event: ChainEvent = {
      type: "round.ended",
      round,
      at: clock.now(),
      finishReason: step.finishReason,
      usage: step.usage,
    };
    await this.#say(round, step.message, [{ type: "event", event }]);
    return this.#stop() ?? { message: step.message, offer };
  }

  /** Grows with the turn: rebuilding it each round would cost more with every round. */
  #turn(): readonly Message[] {
    return (this.#sent ??= [...turnMessages(this.#messages, this.#calls.records.values())]);
  }

  async #say(
    round: number,
    message: AssistantMessage,
    more: readonly JournalWrite[],
  ): Promise<void> {
    const { content, tool_calls, reasoning } = message;
    if (content === "" && tool_calls === undefined && reasoning === undefined) {
      await this.#recorder.commit(more);
      return;
    }
    this.#messages.push(message);
    this.#sent?.push(message);
    await this.#recorder.commit([{ type: "message", round, message }, ...more]);
  }

  /** Runs what the model asked for. Undefined once all calls have ended. */
  async #runCalls(
    requests: readonly ToolCallRequest[],
    offer: ToolOffer,
    refuse: boolean,
  ): Promise<Ended | undefined> {
    const { executor, runId, maxCallsPerRound = 64 } = this.#options;
    const { gate } = executor;
    let n = 0;
    for (const { id: callId, function: called } of requests) {
      n++;
      const { name, arguments: args } = called;
      const idempotencyKey = `${runId}/${callId}`;
      const record: CallRecord = {
        callId,
        name,
        owner: offer.clientNames.has(name) ? "client" : "server",
        round: this.#round,
        status: "waiting",
        argumentsText: args,
        repairs: [],
        idempotencyKey,
        proposedAt: gate.clock.now(),
      };
      const error = refuse
        ? roundLimit
        : n > maxCallsPerRound
          ? tooMany(maxCallsPerRound)
          : this.#beyondLimit(record);
      if (error !== undefined) {
        this.#calls.refuse(record, error);
        continue;
      }
      if (record.owner === "client") {
        this.#calls.addClient(record);
        continue;
      }
      const toolId = offer.names[name];
      const requireApproval =
        toolId === undefined ? undefined : this.#options.requireApproval?.(toolId);
      const request = {
        callId,
        name,
        names: offer.names,
        args,
        round: this.#round,
        idempotencyKey,
      };
      this.#calls.add(
        await propose(gate, {
          ...request,
          ...(requireApproval !== undefined && { requireApproval }),
        }),
      );
      if (this.#abort.signal.aborted) break;
    }
    const waits = await this.#settleRound();
    if (waits === undefined) this.#answerRound(requests);
    return waits;
  }

  #answerRound(requests: readonly ToolCallRequest[]): void {
    for (const { id, function: called } of requests) {
      this.#sent?.push(toolMessage(id, called.name, this.#calls.records.get(id)));
    }
  }

  /** Server-run calls are counted over the whole turn. */
  #beyondLimit({ owner }: CallRecord): ToolErrorData | undefined {
    const { maxToolCalls } = this.#options;
    if (owner === "client" || maxToolCalls === undefined || this.#serverCalls++ < maxToolCalls)
      return undefined;
    return {
      code: "call_limit",
      message: `It was not run: this turn may make ${maxToolCalls} tool calls. Answer with what you have.`,
    };
  }

  async #settleRound(): Promise<Ended | undefined> {
    await this.#calls.idle();
    const stopped = this.#stop();
    if (stopped !== undefined) return stopped;
    if (this.#calls.waiting().length === 0) return undefined;
    // From here on an answer must find the chain parked.
    this.#stopped = true;
    return { status: "requires_action" };
  }

  #stop(): Ended | undefined {
    if (!this.#abort.signal.aborted) return undefined;
    const error = this.#failure ?? {
      code: "aborted",
      message: "it was stopped",
      phase: "chain" as const,
    };
    return { status: error.code === "aborted" ? "aborted" : "error", error };
  }

  async #end(ended: Ended): Promise<ToolChainResult> {
    if (ended.status !== "requires_action") {
      this.#calls.cancelAll("the turn ended");
      await this.#calls.idle();
    }
    const { executor, contextMessages } = this.#options;
    const at = executor.gate.clock.now();
    const calls = [...this.#calls.records.values()];
    const stats = this.#stats(at, calls);
    const log = turnLog(this.#messages, calls);
    const answer = answerText(this.#messages);
    const waiting = ended.status === "requires_action" ? this.#calls.waiting() : [];
    const error = ended.error === undefined ? {} : { error: ended.error };
    const result: ChainResultRecord = {
      status: ended.status,
      answer,
      log,
      usage: this.#usage,
      stats,
      ...error,
      ...(this.#finishReason !== undefined && { finishReason: this.#finishReason }),
      ...(waiting.length > 0 && { waiting }),
    };
    const event: ChainEvent =
      ended.status === "requires_action"
        ? { type: "chain.waiting", at, callIds: waiting.map((call) => call.callId) }
        : { type: "chain.ended", at, status: ended.status, usage: this.#usage, stats, ...error };
    await this.#recorder.commit([
      { type: "result", result },
      { type: "event", event },
    ]);
    this.#recorder.close();
    const toolChain = turnMessages(this.#messages, calls);
    return {
      status: ended.status,
      answer,
      responseContent: log.flow,
      toolChainContent: log.hint,
      replayContent: log.replay,
      usage: this.#usage,
      messages: {
        context: contextMessages,
        toolChain,
        complete: [...contextMessages, ...toolChain],
      },
      toolCallHistory: calls.map((call) => this.#historyEntry(call)),
      stats,
      ...error,
      waiting,
      state: this.#state(at, calls),
    };
  }

  #state(at: number, calls: readonly CallRecord[]): ChainState {
    return {
      round: this.#round,
      messages: this.#messages,
      calls,
      usage: this.#usage,
      startTime: this.#startTime,
      elapsed: this.#elapsed(at),
    };
  }

  #stats(at: number, calls: readonly CallRecord[]): ChainStats {
    let tokensShown = 0;
    let tokensWithheld = 0;
    for (const { result } of calls) {
      tokensShown += result?.tokens.shown ?? 0;
      tokensWithheld += result?.tokens.withheld ?? 0;
    }
    return {
      totalRounds: this.#round,
      totalCalls: calls.length,
      totalTime: this.#elapsed(at),
      startTime: this.#startTime,
      endTime: at,
      tokensShown,
      tokensWithheld,
    };
  }

  #elapsed(at: number): number {
    return (this.#options.resume?.state.elapsed ?? 0) + at - this.#resumedAt;
  }

  #historyEntry(call: CallRecord): ToolCallHistoryEntry {
    const result = this.#calls.results.get(call.callId);
    const llmUsage = this.#llmUsage.get(call.round + 1);
    return {
      callId: call.callId,
      toolName: call.name,
      args: call.args ?? {},
      startTime: call.startedAt ?? call.proposedAt,
      endTime: call.endedAt ?? call.proposedAt,
      roundIndex: call.round,
      ...(result !== undefined && { result }),
      ...(llmUsage !== undefined && { llmUsage }),
      ...(call.status === "result_rejected" && {
        resultRejected: true,
        resultRejectReason: call.result?.rejectReason ?? "",
      }),
    };
  }

  #newItemId(): string {
    return `it_${this.#itemPrefix}_${++this.#items}`;
  }

  readonly #given = new Set<string>();

  #uniqueCallId(id: string): string {
    const unique =
      /^[\w-]{1,64}$/.test(id) && !this.#given.has(id) && !this.#calls.records.has(id)
        ? id
        : newId("call_");
    this.#given.add(unique);
    return unique;
  }
}

const roundLimit: ToolErrorData = {
  code: "round_limit",
  message: "It was not run: no more tools may be called in this turn.",
};

function tooMany(limit: number): ToolErrorData {
  return {
    code: "too_many_calls",
    message: `It was not run: one round may make ${limit} calls. Ask for it again in the next.`,
  };
}

function settingsFor(
  chatOption: ToolChainOptions["chatOption"],
  now: { last: boolean; first: boolean; tools: number },
) {
  const { toolChoice, parallelToolCalls, ...settings } = chatOption ?? {};
  if (now.last || now.tools === 0) return settings;
  // A forced choice holds for the first step only; else the loop would never end.
  const choice = now.first ? toolChoice : toolChoice === "none" ? "none" : undefined;
  return {
    ...settings,
    ...(choice !== undefined && { toolChoice: choice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
  };
}

function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  };
}

function failed(failure: unknown): Ended {
  if (!ModelError.isInstance(failure)) {
    return {
      status: "error",
      error: { code: "server", message: errorMessage(failure), phase: "model" },
    };
  }
  const { code, message, retryAfterMs } = failure;
  const error: ChainError = {
    code,
    message,
    phase: "model",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return { status: code === "timeout" ? "timeout" : "error", error };
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof DOMException && reason.name === "AbortError"
    ? "it was stopped"
    : errorMessage(reason ?? "it was stopped");
}
