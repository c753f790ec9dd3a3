import { copyJson } from "../json/json-value.ts";
import type { JsonObject } from "../base/json.ts";
import type { ReviewDecision } from "../policy/review.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import { filesFor } from "../tool/caller.ts";
import type { CallRecord } from "./record/call-record.ts";
import type { CallDriverEnd, CallHandle, CallDriverOptions } from "./driver-options.ts";
import type { ActiveCall } from "./gate/active-call.ts";
import type { ToolOutcome } from "./record/tool-outcome.ts";
import type { ListNode } from "../base/linked-list.ts";
import { type RunningTool, runTool } from "./run/run-tool.ts";
import { recheckFailureText, recheck } from "./gate/recheck.ts";
import { lockRequestOf } from "./schedule/lock-request.ts";
import { settleReviewed } from "./settle/review-result.ts";
import { settle } from "./settle/settle.ts";
import type { SettleOutcome } from "./record/settled-call.ts";
import { PendingReview } from "./ask/pending-review.ts";
import { CallOutput } from "./run/call-output.ts";
import { SubCalls, subCaller } from "./sub-call.ts";
import type { Ticket } from "./schedule/ticket.ts";

/**
 * Starts the second and third segment of an approved call: it waits for a slot, is recorded as
 * started, runs, is settled, and is recorded as settled. A call is settled exactly once. A call whose
 * result a person reviews later is suspended, and settled by its observer.
 *
 * @param onEnd called once, at its end: it may be before this returns
 */
export function startCall(
  options: CallDriverOptions,
  onEnd?: (end: CallDriverEnd) => void,
): CallDriver {
  const call = new CallDriver(options, onEnd);
  call.enter();
  return call;
}

/** Drives one call. It does not wait for anything that answers at once: the call may have ended when `startCall` returns. */
export class CallDriver implements CallHandle {
  readonly callId: string;
  readonly #options: CallDriverOptions;
  readonly #onEnd: ((end: CallDriverEnd) => void) | undefined;
  readonly #args: JsonObject;
  readonly #output: CallOutput;
  #record: CallRecord;
  #running: RunningTool | undefined;
  readonly #activeNode: ListNode<ActiveCall>;
  #ticket: Ticket | undefined;
  #begun = false;
  #stopped: string | undefined;
  #isOver = false;
  #subCalls: SubCalls | undefined;
  #callTool: ToolContext["callTool"] | undefined;
  #review: PendingReview | undefined;
  #ended: SettleOutcome | undefined;
  #waited: PromiseWithResolvers<SettleOutcome> | undefined;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(options: CallDriverOptions, onEnd?: (end: CallDriverEnd) => void) {
    const { record } = options;
    this.#onEnd = onEnd;
    this.callId = record.callId;
    this.#options = options;
    this.#record = record;
    const { args = {} } = record;
    // Of a call that was asked about the record's own stay as they were; the tool's are the tool's.
    this.#args = record.approval === undefined ? args : copyJson(args);
    this.#output = new CallOutput(options);
    this.#activeNode = options.gate.activeCalls.append(this);
  }

  /** How it ended; undefined until then. */
  get ended(): SettleOutcome | undefined {
    return this.#ended;
  }

  /** Whether it has ended, or could not be recorded. */
  get isDone(): boolean {
    return this.#ended !== undefined || this.#failure !== undefined;
  }

  get settled(): Promise<SettleOutcome> {
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#waited ??= Promise.withResolvers();
    if (this.#failure !== undefined) this.#waited.reject(this.#failure.thrown);
    return this.#waited.promise;
  }

  cancel(reason: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason;
    this.#review?.stop();
    if (!this.#begun) this.#runStep(() => this.#finish(cancelledOutcome(reason, false)));
    this.#running?.cancel(reason);
  }

  /** Enters the scheduler, and starts if a slot and its locks are free. */
  enter(): void {
    const { scheduler, registered, parentContext } = this.#options;
    const entered = scheduler.enter(lockRequestOf(registered, this.#args), {
      start: (own) => this.#runStep(() => this.#start(own)),
      parent: parentContext?.ticket,
    });
    if (entered !== undefined) {
      this.#ticket = entered;
      if (this.#isOver && entered.status === "waiting") scheduler.leave(entered);
    } else if (!this.#isOver) {
      this.#begun = true;
      this.#runStep(() => this.#finish(deadlockOutcome(registered)));
    }
  }

  #runStep(step: () => void | Promise<void>): void {
    try {
      const going = step();
      if (going instanceof Promise) going.catch((thrown: unknown) => this.#fail(thrown));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Runs a step once a promise has resolved. */
  #continueAfter<T>(awaited: Promise<T>, step: (value: T) => void | Promise<void>): void {
    awaited.then(
      (value) => this.#runStep(() => step(value)),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  #start(own: Ticket): void | Promise<void> {
    const { gate, observer, scheduler, registered } = this.#options;
    // It was stopped by one that began in the same moment.
    if (this.#isOver) return scheduler.leave(own);
    const waited = this.#ticket !== undefined;
    this.#ticket = own;
    this.#begun = true;
    const failure = waited ? recheck(gate, registered, this.#args) : undefined;
    if (failure !== undefined)
      return this.#finish(cancelledOutcome(recheckFailureText(failure), false));
    const startedAt = gate.clock.now();
    this.#record = { ...this.#record, status: "started", startedAt };
    const recorded = observer.started(this.#record);
    if (!(recorded instanceof Promise)) return this.#run(own, recorded, startedAt);
    return this.#continueAfter(recorded, (mayRun) => this.#run(own, mayRun, gate.clock.now()));
  }

  #run(own: Ticket, mayRun: boolean, startedAt: number): void | Promise<void> {
    const { gate, registered } = this.#options;
    if (!mayRun) return this.#finish(cancelledOutcome("another process carries the run on", false));
    if (this.#stopped !== undefined) return this.#finish(cancelledOutcome(this.#stopped, false));
    const caller = this.#options.caller ?? gate.caller;
    const stop = new AbortController();
    this.#running = runTool({
      gate,
      registered,
      args: this.#args,
      startedAt,
      stop,
      context: {
        callId: this.callId,
        toolId: registered.id,
        signal: stop.signal,
        output: this.#output.output,
        variables: gate.variables,
        principal: caller.principal,
        request: caller.request,
        files: filesFor(caller.files, registered),
        idempotencyKey: this.#record.idempotencyKey,
        callTool: (name, args, how) => this.#subCaller(own)(name, args, how),
      },
    });
    // Somebody may have stopped it for what it said at once, before it could be told.
    if (this.#stopped !== undefined) this.#running.cancel(this.#stopped);
    const { outcome } = this.#running;
    return outcome instanceof Promise
      ? this.#continueAfter(outcome, (ended) => this.#finish(ended))
      : this.#finish(outcome, startedAt + outcome.durationMs);
  }

  #subCaller(own: Ticket): ToolContext["callTool"] {
    if (this.#callTool !== undefined) return this.#callTool;
    const { parentContext } = this.#options;
    this.#subCalls = new SubCalls();
    if (this.#isOver) this.#subCalls.end();
    this.#callTool = subCaller({
      ...this.#options,
      start: startCall,
      parentContext: {
        depth: (parentContext?.depth ?? 0) + 1,
        ticket: own,
        withDeadlinesPaused: (wait) => this.#withDeadlinesPaused(wait),
      },
      subCalls: this.#subCalls,
    });
    return this.#callTool;
  }

  async #withDeadlinesPaused<T>(wait: () => Promise<T>): Promise<T> {
    const { parentContext } = this.#options;
    this.#running?.deadline?.pause();
    try {
      return await (parentContext === undefined ? wait() : parentContext.withDeadlinesPaused(wait));
    } finally {
      this.#running?.deadline?.resume();
    }
  }

  /** @param endedAt where that is now */
  #finish(ended: ToolOutcome, endedAt?: number): void | Promise<void> {
    // From here on it is over: what a tool that was left behind still says or calls is ignored.
    this.#isOver = true;
    const outcome = withFinalText(ended, this.#output.close());
    this.#subCalls?.end();
    const { open } = this.#subCalls ?? {};
    return open === undefined || open.size === 0
      ? this.#settle(outcome, endedAt)
      : endAll(open).then(() => this.#settle(outcome));
  }

  #settle(outcome: ToolOutcome, endedAt?: number): void | Promise<void> {
    const { gate, scheduler, registered, checkToolResults } = this.#options;
    if (this.#ticket !== undefined) scheduler.leave(this.#ticket);
    const settling = settle({
      gate,
      record: withRetries(this.#record, outcome),
      registered,
      outcome,
      endedAt,
      checkToolResults,
    });
    return settling.status === "in_review"
      ? this.#awaitReview(settling).then((end) => this.#report(end))
      : this.#report(settling);
  }

  #report(end: SettleOutcome): void | Promise<void> {
    const recorded = end.status === "settled" ? this.#options.observer.settled(end) : undefined;
    return recorded instanceof Promise ? recorded.then(() => this.#end(end)) : this.#end(end);
  }

  #end(end: SettleOutcome): void {
    this.#options.gate.activeCalls.remove(this.#activeNode);
    if (this.isDone) return;
    this.#ended = end;
    this.#waited?.resolve(end);
    this.#onEnd?.(end);
  }

  /** Waits for a person without holding a slot or locks. A sub-call cannot be suspended: its parent waits. */
  async #awaitReview(
    asked: Extract<SettleOutcome, { readonly status: "in_review" }>,
  ): Promise<SettleOutcome> {
    const { gate, observer, parentContext } = this.#options;
    const review = new PendingReview();
    this.#review = review;
    if (this.#stopped !== undefined) review.stop();
    const ask = () => review.request(observer, asked);
    const response =
      parentContext === undefined ? await ask() : await parentContext.whileSuspended(ask);
    if (response.decision === "pending" && parentContext === undefined) return asked;
    const decision: ReviewDecision = response.decision === "pending" ? cannotWait : response;
    return settleReviewed(gate, asked, decision);
  }

  /** Stops the call and releases its locks and slots, because recording it failed. */
  #fail(thrown: unknown): void {
    const { gate, scheduler } = this.#options;
    this.#isOver = true;
    this.#output.close();
    this.#subCalls?.end();
    for (const call of this.#subCalls?.open ?? []) call.cancel("the call that made it failed");
    this.#running?.cancel("it could not be recorded");
    if (this.#ticket !== undefined) scheduler.leave(this.#ticket);
    gate.activeCalls.remove(this.#activeNode);
    if (this.isDone) return;
    this.#failure = { thrown };
    this.#waited?.reject(thrown);
    this.#onEnd?.({ status: "broken", thrown });
  }
}

/** Sub-calls end before the call that made them, so that its end is the end of all it did. */
async function endAll(calls: Iterable<CallHandle>): Promise<void> {
  const ends = [...calls].map((call) => {
    call.cancel("the call that made it ended");
    return call.settled;
  });
  await Promise.allSettled(ends);
}

/** What a final tool wrote is what it gives, beside its data where it has some. */
function withFinalText(outcome: ToolOutcome, text: string | undefined): ToolOutcome {
  if (text === undefined || outcome.status !== "returned") return outcome;
  return { ...outcome, text, value: outcome.value ?? text };
}

const cannotWait: ReviewDecision = {
  decision: "withhold",
  reason: "a person must see it first, and that takes longer than the call that made it can wait",
  by: "system",
};

function cancelledOutcome(reason: string, started: boolean): ToolOutcome {
  return { status: "cancelled", reason, started, durationMs: 0 };
}

function deadlockOutcome({ name }: RegisteredTool): ToolOutcome {
  const message = `${name} was not run: it would wait for another call that waits for the one that called it. Call it again once that one has ended.`;
  const error = { code: "deadlock", message, retryable: true };
  return { status: "failed", error, durationMs: 0 };
}

/** What its row says of how it ran. */
function withRetries(record: CallRecord, outcome: ToolOutcome): CallRecord {
  const { retries } = outcome;
  const leftBehind = "leftBehind" in outcome ? outcome.leftBehind : undefined;
  if (retries === undefined && leftBehind === undefined) return record;
  return {
    ...record,
    ...(retries !== undefined && { retries }),
    ...(leftBehind !== undefined && { leftBehind }),
  };
}
