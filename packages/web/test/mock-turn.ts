import type { ExecutionAnswerBody } from "@capstan/contract";
import { setTimeout as sleep } from "node:timers/promises";
import { emit, putVariable, setStatus, type MockRun, type MockStore } from "./mock-store.ts";
import { pieces, settled, type Step } from "./script.ts";

export interface MockCall {
  readonly name: string;
  readonly group: string;
  readonly args: { readonly [key: string]: unknown };
  readonly result: string;
  readonly ms?: number;
  readonly ask?: {
    readonly reason: string;
    readonly covers: string;
    readonly description?: string;
  };
  readonly outcome?: Extract<Step, { type: "call.settled" }>["status"];
  readonly repairs?: readonly string[];
  readonly output?: readonly string[];
  readonly shown?: number;
  readonly message?: string;
}

interface SayOptions {
  readonly kind?: "text" | "reasoning";
  readonly ms?: number;
  readonly size?: number;
  readonly end?: boolean;
  readonly holdAfter?: number;
}

type EndStatus = Extract<Step, { type: "chain.ended" }>["status"];

/** The actions of a scripted turn: text, parallel tool calls, end. */
export class MockTurn {
  readonly store: MockStore;
  readonly run: MockRun;
  #round = 0;
  #calls = 0;
  #shown = 0;
  #withheld = 0;
  #items = 0;
  readonly #started = Date.now();

  constructor(store: MockStore, run: MockRun) {
    this.store = store;
    this.run = run;
    emit(run, { type: "chain.started", at: this.#started, model: run.view.model });
  }

  get signal(): AbortSignal {
    return this.run.stop.signal;
  }

  beginRound(): void {
    emit(this.run, { type: "round.started", round: ++this.#round, at: Date.now() });
  }

  endRound(finishReason: "stop" | "tool_calls"): void {
    const usage = { inputTokens: 812 * this.#round, outputTokens: 64, cachedInputTokens: 512 };
    emit(this.run, {
      type: "round.ended",
      round: this.#round,
      at: Date.now(),
      finishReason,
      usage,
    });
  }

  /** Streams text, a chunk every `ms`. If scripts are held, pauses after `holdAfter` chunks. */
  async say(text: string, options: SayOptions = {}): Promise<void> {
    const { kind = "text", ms = 12, size = 9, end = true, holdAfter } = options;
    const itemId = `item_${this.run.view.id}_${++this.#items}`;
    emit(this.run, { type: "item.start", itemId, kind });
    for (const [index, delta] of pieces(text, size).entries()) {
      if (index === holdAfter) await this.store.held;
      if (ms > 0) await sleep(ms, undefined, { signal: this.signal });
      this.signal.throwIfAborted();
      emit(this.run, { type: "item.delta", itemId, delta });
    }
    if (end) emit(this.run, { type: "item.end", itemId, text });
  }

  /** The calls of one model step: written one after another, then run in parallel. */
  async call(calls: readonly MockCall[]): Promise<void> {
    const named = calls.map((call) => ({
      ...call,
      callId: `call_${this.run.view.id}_${++this.#calls}`,
    }));
    for (const { callId, name, args } of named) {
      const itemId = `args_${callId}`;
      const text = JSON.stringify(args);
      emit(this.run, {
        type: "item.start",
        itemId,
        kind: "arguments",
        callId,
        name,
        owner: "server",
      });
      for (const delta of pieces(text, 12)) {
        await sleep(4, undefined, { signal: this.signal });
        emit(this.run, { type: "item.delta", itemId, delta });
      }
      emit(this.run, { type: "item.end", itemId, text });
    }
    this.endRound("tool_calls");
    await Promise.all(named.map((call) => this.#execute(call)));
  }

  async #execute(call: MockCall & { readonly callId: string }): Promise<void> {
    const { callId, name } = call;
    const toolId = `${call.group.toLowerCase()}.${name}`;
    emit(this.run, {
      type: "call.proposed",
      callId,
      name,
      owner: "server",
      round: this.#round,
      at: Date.now(),
      toolId,
      groupTitle: call.group,
      argumentsText: JSON.stringify(call.args),
      args: call.args as never,
      repairs: call.repairs ?? [],
    });
    if (call.ask !== undefined) {
      const answer = await this.#ask(call, toolId);
      if (answer.decision === "refuse") {
        const reason = answer.reason ?? "";
        const text = `The user denied this call${reason === "" ? "" : `: ${reason}`}.`;
        return emit(this.run, {
          ...settled(callId, Date.now(), text),
          status: "execution_rejected",
        } as Step);
      }
    }
    const stop = new AbortController();
    this.run.callStops.set(callId, stop);
    emit(this.run, { type: "call.started", callId, at: Date.now() });
    try {
      await this.#work(call, AbortSignal.any([stop.signal, this.signal]));
      this.#settle(call);
    } catch {
      emit(this.run, {
        ...settled(callId, Date.now(), "The call was stopped."),
        status: "cancelled",
      } as Step);
    } finally {
      this.run.callStops.delete(callId);
    }
  }

  async #work(call: MockCall & { readonly callId: string }, signal: AbortSignal): Promise<void> {
    const { callId, output = [] } = call;
    const ms = call.ms ?? 30;
    const itemId = `out_${callId}`;
    if (output.length === 0) {
      await sleep(ms, undefined, { signal });
      return this.store.held;
    }
    emit(this.run, { type: "item.start", itemId, kind: "output", callId });
    try {
      for (const [index, line] of output.entries()) {
        await sleep(ms / output.length, undefined, { signal });
        emit(this.run, { type: "item.delta", itemId, delta: `${line}\n` });
        emit(this.run, {
          type: "call.progress",
          callId,
          progress: { done: index + 1, total: output.length, message: "working" },
        });
      }
    } finally {
      emit(this.run, {
        type: "item.end",
        itemId,
        text: output.map((line) => `${line}\n`).join(""),
      });
    }
  }

  #settle(call: MockCall & { readonly callId: string }): void {
    const { callId, name, result } = call;
    const outcome = call.outcome ?? "success";
    const limit = call.shown ?? 8000;
    const finalText =
      result.length > limit
        ? `${result.slice(0, limit)}\n… ${result.length - limit} characters left out …`
        : result;
    const variable = `${name}_${this.store.nextId++}`;
    const shown = Math.ceil(finalText.length / 4);
    const withheld = Math.ceil(Math.max(0, result.length - limit) / 4);
    this.#shown += shown;
    this.#withheld += withheld;
    if (this.run.view.conversation !== null) {
      putVariable(this.store, this.run.view.conversation, variable, result, {
        desc: `Result of ${name}`,
      });
    }
    emit(this.run, {
      type: "call.settled",
      callId,
      at: Date.now(),
      status: outcome,
      result: {
        finalText,
        isTruncated: result.length > limit,
        tokens: { definition: 80, arguments: 12, shown, withheld },
        durationMs: call.ms ?? 30,
        preview: result.slice(0, 200),
        cacheVarResult: variable,
        ...(outcome === "success" ? {} : { error: { code: outcome, message: result } }),
      },
    });
  }

  #ask(call: MockCall & { readonly callId: string }, toolId: string): Promise<ExecutionAnswerBody> {
    const { callId } = call;
    const id = `ap_${this.store.nextId++}`;
    const request = {
      id,
      callId,
      toolId,
      toolName: call.name,
      groupTitle: call.group,
      description: call.ask?.description ?? `A one-line description of ${call.name}.`,
      args: call.args as never,
      argsDigest: "d",
      definitionDigest: "e",
      principalId: "local",
      reason: call.ask?.reason ?? "",
      remember: true,
      ...(call.name === "FetchWebPage" && { readOnly: true as const }),
      grant: { key: "k", title: call.ask?.covers ?? "" },
      createdAt: Date.now(),
      expiresAt: Date.now() + 86_400_000,
    };
    emit(this.run, { type: "approval.requested", callId, approval: request });
    setStatus(this.store, this.run, "requires_action");
    return new Promise((resolve, reject) => {
      this.signal.addEventListener("abort", () => reject(new Error("stopped")));
      const answered = (body: ExecutionAnswerBody) => {
        emit(this.run, {
          type: "approval.answered",
          callId,
          approvalId: id,
          at: Date.now(),
          decision: {
            verdict: body.decision === "allow" ? "allowed" : "refused",
            by: "person",
            ...(body.reason === undefined ? {} : { reason: body.reason }),
          },
          ...(body.arguments === undefined ? {} : { args: body.arguments as never }),
        });
        setStatus(this.store, this.run, "in_progress");
        resolve(body);
      };
      this.store.approvals.set(id, { run: this.run, callId, status: "pending", request, answered });
    });
  }

  end(
    status: EndStatus,
    error?: { readonly code: string; readonly message: string; readonly retryAfterMs?: number },
  ): void {
    const now = Date.now();
    emit(this.run, {
      type: "chain.ended",
      at: now,
      status,
      ...(error === undefined ? {} : { error: { ...error, phase: "model" } }),
      usage: {
        inputTokens: 812 * this.#round,
        outputTokens: 64 * this.#round,
        cachedInputTokens: 512,
      },
      stats: {
        totalRounds: this.#round,
        totalCalls: this.#calls,
        totalTime: now - this.#started,
        startTime: this.#started,
        endTime: now,
        tokensDefinitions: 320,
        tokensArguments: 12 * this.#calls,
        tokensShown: this.#shown,
        tokensWithheld: this.#withheld,
      },
    });
    this.run.view.ended_at = now;
    setStatus(
      this.store,
      this.run,
      (
        {
          completed: "completed",
          aborted: "cancelled",
          error: "failed",
          timeout: "incomplete",
        } as const
      )[status],
    );
  }
}
