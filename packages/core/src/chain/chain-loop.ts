import { estimateTokens } from "../output/estimate-tokens.ts";
import { neutralise } from "../output/neutralise.ts";
import { neutraliseMessage } from "../output/neutralise-message.ts";
import { errorMessage } from "../errors/error-message.ts";
import type { CallRecord } from "../executor/call-record.ts";
import { newId } from "../executor/new-id.ts";
import { propose } from "../executor/propose.ts";
import type { OfferOptions } from "../executor/tool-executor.ts";
import type { AssistantMessage, Message, ToolCallRequest } from "../model/message.ts";
import type { FinishReason, Usage } from "../model/model.ts";
import type { ApprovalDecision } from "../policy/approval.ts";
import type { ToolErrorData } from "../tool/tool-error.ts";
import { type Caller, callerWith } from "../tool/caller.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import { roundLimit, tooManyInRound, tooManyInTurn } from "./call-limits.ts";
import { abortReason, type ChainEnding, modelFailure, stopped } from "./chain-ending.ts";
import type { ChainEvent } from "./chain-event.ts";
import { chainReport } from "./chain-report.ts";
import type { ChainError } from "./chain-result.ts";
import type { JournalWrite } from "./journal.ts";
import { modelStep } from "./model-step.ts";
import { OpenCalls } from "./open-calls.ts";
import { Recorder } from "./recorder.ts";
import { reopen } from "./reopen.ts";
import { roundSettings } from "./round-settings.ts";
import type { ClientOutput, FirstResponse, ToolChainOptions } from "./tool-chain-options.ts";
import type { ToolChainResult } from "./tool-chain-result.ts";
import { toolMessage, turnMessages } from "./turn-messages.ts";
import { addUsage, noUsage } from "./usage.ts";
import { keepLongMessages } from "../variables/message-cache.ts";

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
  readonly #usageByRound = new Map<number, Usage>();
  readonly #itemPrefix = newId("").slice(0, 8);
  readonly #startTime: number;
  readonly #resumedAt: number;
  readonly #offered: OfferOptions;
  readonly #caller: Caller;
  #items = 0;
  #serverCalls = 0;
  #round: number;
  /** Rounds of the chain that this one took over: each has its own budget. */
  readonly #roundsBefore: number;
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
    this.#caller = callerWith(executor.gate.caller, options.caller);
    const now = executor.gate.clock.now();
    this.#resumedAt = now;
    this.#startTime = resume?.state.startTime ?? now;
    this.#round = resume?.state.round ?? 0;
    this.#roundsBefore = resume?.adopted === true ? resume.state.round : 0;
    this.#usage = resume?.state.usage ?? noUsage;
    this.#messages = [...(resume?.state.messages ?? [])];
    this.#recorder = new Recorder({
      journal: options.journal,
      variables: executor.variables,
      publish,
      onLost: ({ code, message }) => {
        this.#failure ??= { code, message, phase: "chain" };
        this.#abort.abort(new Error(message));
        this.#calls.cancelAll(message);
      },
    });
    this.#calls = new OpenCalls({
      executor,
      recorder: this.#recorder,
      signal: this.#abort.signal,
      newItemId: () => this.#newItemId(),
      checkToolResults: options.checkToolResults ?? true,
      requireApproval: options.requireApproval,
      // With a journal the records are the truth, and results may be many and large.
      keepResults: options.journal === undefined,
      onFailure: (thrown) => {
        this.#failure ??= { code: "internal", message: errorMessage(thrown), phase: "tool" };
        this.#abort.abort(thrown);
        this.#calls.cancelAll("the turn failed");
      },
      caller: this.#caller,
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
    let ended: ChainEnding;
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

  async #loop(): Promise<ChainEnding> {
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
      const said = this.#finalMessage();
      if (said !== undefined && inputMessages.length === 0) return { status: "completed" };
      if (said !== undefined) await this.#say(this.#round, said, []);
    }
    if (inputMessages.length > 0) {
      const given = inputMessages.map(neutraliseMessage);
      this.#messages.push(...given);
      await this.#recorder.commit(
        given.map((message) => ({ type: "message", round: this.#round, message })),
      );
    }
    if (firstResponse !== undefined) {
      const waits = await this.#continueFrom(firstResponse);
      if (waits !== undefined) return waits;
      if (this.#finalMessage() !== undefined) return { status: "completed" };
    }

    let asked = false;
    for (;;) {
      const stopped = this.#stop();
      if (stopped !== undefined) return stopped;
      const last = this.#round - this.#roundsBefore >= maxRounds;
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
      if (last || this.#finalMessage() !== undefined) return { status: "completed" };
    }
  }

  /** The caller asked the model first: its answer is this turn's first round. */
  async #continueFrom({
    message,
    usage = noUsage,
    finishReason = "tool_calls",
  }: FirstResponse): Promise<ChainEnding | undefined> {
    const round = ++this.#round;
    this.#usage = addUsage(this.#usage, usage);
    this.#usageByRound.set(round, usage);
    this.#finishReason = finishReason;
    const at = this.#options.executor.gate.clock.now();
    await this.#recorder.event({ type: "round.started", round, at });
    const safe = { ...message, content: neutralise(message.content) };
    await this.#say(round, safe, [
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
  ): Promise<ChainEnding | { readonly message: AssistantMessage; readonly offer: ToolOffer }> {
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
    const said = [...contextMessages, ...this.#turn()];
    const takesReferences = Object.keys(offer.names).length > 0;
    const messages: Message[] = [
      ...(prompt === "" ? [] : [{ role: "system", content: prompt } as const]),
      ...(takesReferences ? keepLongMessages(said, executor.variables) : said),
      ...(note === undefined ? [] : [{ role: "developer", content: note } as const]),
    ];
    await this.#recorder.event({ type: "round.started", round, at: clock.now() });
    const step = await modelStep({
      model,
      messages: (await onBeforeSendToLLM?.(messages)) ?? messages,
      tools: last ? [] : offer.definitions,
      settings: roundSettings(chatOption, {
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
    this.#usageByRound.set(round, step.usage);
    if (step.failure !== undefined) {
      // What was said stays said: it is part of the record, without the calls that were cut off.
      if (step.message.content !== "") await this.#say(round, step.message, []);
      return this.#stop() ?? modelFailure(step.failure);
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
  ): Promise<ChainEnding | undefined> {
    const { executor, runId, maxCallsPerRound = 64 } = this.#options;
    const { gate } = executor;
    const { id: principalId } = this.#caller.principal;
    const principal = principalId === gate.caller.principal.id ? {} : { principalId };
    let n = 0;
    // All are proposed before any runs: their results are named in the order the model wrote them.
    const taken: (() => void | Promise<void>)[] = [];
    for (const { id: callId, function: called } of requests) {
      n++;
      const { name, arguments: args } = called;
      const idempotencyKey = `${runId}/${callId}`;
      const toolId = offer.names[name];
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
        ...(toolId !== undefined && { toolId }),
        ...principal,
      };
      const error = refuse
        ? roundLimit
        : n > maxCallsPerRound
          ? tooManyInRound(maxCallsPerRound)
          : this.#beyondLimit(record);
      if (error !== undefined) {
        taken.push(() => this.#calls.refuse(record, error));
        continue;
      }
      if (record.owner === "client") {
        taken.push(() => this.#calls.addClient(record));
        continue;
      }
      const { requireApproval } = this.#options;
      const request = {
        callId,
        name,
        names: offer.names,
        args,
        round: this.#round,
        idempotencyKey,
        ...principal,
      };
      const asked = requireApproval === undefined ? request : { ...request, requireApproval };
      const proposal = propose(gate, asked);
      // Waited for below, in its turn.
      if (proposal instanceof Promise) proposal.catch(() => {});
      taken.push(
        proposal instanceof Promise
          ? async () => this.#calls.add(await proposal)
          : () => this.#calls.add(proposal),
      );
    }
    for (const take of taken) {
      const waits = take();
      if (waits instanceof Promise) await waits;
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
    return tooManyInTurn(maxToolCalls);
  }

  async #settleRound(): Promise<ChainEnding | undefined> {
    await this.#calls.idle();
    const stopped = this.#stop();
    if (stopped !== undefined) return stopped;
    if (this.#calls.waiting().length === 0) return undefined;
    // From here on an answer must find the chain parked.
    this.#stopped = true;
    return { status: "requires_action" };
  }

  #stop(): ChainEnding | undefined {
    return this.#abort.signal.aborted ? stopped(this.#failure) : undefined;
  }

  /** The answer that final tools gave in the round that the turn ends with, if they did. */
  #finalMessage(cut = false): AssistantMessage | undefined {
    const last = this.#messages.at(-1);
    if (last?.role !== "assistant" || last.tool_calls === undefined) return undefined;
    const content = this.#calls.finalWords(last.tool_calls, { cut });
    return content === "" ? undefined : { role: "assistant", content: neutralise(content) };
  }

  async #end(ending: ChainEnding): Promise<ToolChainResult> {
    const said: JournalWrite[] = [];
    if (ending.status !== "requires_action") {
      this.#calls.cancelAll("the turn ended");
      await this.#calls.idle();
      // Of a turn that was stopped, what a reader was shown of an answer stays said.
      const message = this.#finalMessage(ending.status !== "completed");
      if (message !== undefined) {
        this.#messages.push(message);
        said.push({ type: "message", round: this.#round, message });
      }
    }
    const { executor, contextMessages, resume } = this.#options;
    const endTime = executor.gate.clock.now();
    const { record, event, result } = chainReport({
      ending,
      contextMessages,
      messages: this.#messages,
      calls: [...this.#calls.records.values()],
      results: this.#calls.results,
      waiting: ending.status === "requires_action" ? this.#calls.waiting() : [],
      round: this.#round,
      usage: this.#usage,
      usageByRound: this.#usageByRound,
      finishReason: this.#finishReason,
      estimated: executor.gate.countTokens === estimateTokens,
      startTime: this.#startTime,
      endTime,
      elapsed: (resume?.state.elapsed ?? 0) + endTime - this.#resumedAt,
    });
    await this.#recorder.commit([
      ...said,
      { type: "result", result: record },
      { type: "event", event },
    ]);
    this.#recorder.close();
    return result;
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
