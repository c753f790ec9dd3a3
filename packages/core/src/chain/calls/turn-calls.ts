import { shortJson } from "../../json/short-json.ts";
import type { CallEnd, CallEntry, CallSetup } from "../../call/call-setup.ts";
import { Call } from "../../call/driver.ts";
import { type PendingRequest, type Proposal, approvalRequest } from "../../call/gate/call-host.ts";
import {
  type EndWithoutResult,
  settleWithoutResult,
} from "../../call/gate/settle-without-result.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { isSettled } from "../../call/record/call-status.ts";
import type { SettledCall } from "../../call/record/call-outcome.ts";
import { withholdResult } from "../../call/settle/review-result.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import type { RequireApprovalOf } from "../../policy/decide.ts";
import { type Grant, coveredBy } from "../../policy/grant.ts";
import type { ReviewDecision } from "../../policy/review.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import type { Caller } from "../../tool/caller.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { Awaited } from "../journal/chain-result.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { ClientOutput } from "../options/tool-chain-options.ts";
import { settledElsewhereWrites, JournalHost } from "./journal-host.ts";
import { CallOutputItems, type FinalAnswer } from "./call-output-items.ts";

/**
 * A call that the model requested in a round: a call that the gate has checked, or a client's call.
 */
export type RoundCall = Proposal | { readonly status: "client"; readonly record: CallRecord };

/** The options of `TurnCalls`. */
export interface TurnCallsOptions {
  readonly executor: ToolExecutor;
  readonly recorder: Recorder;
  /** Aborts when the chain is stopped: no further call starts. */
  readonly signal: AbortSignal;
  readonly newItemId: () => string;
  readonly checkToolResults: boolean;
  /** Whether a tool that only reads runs before the start of its call is stored. */
  readonly startsReadsEarly: boolean;
  readonly requireApproval: RequireApprovalOf | undefined;
  /** Returns the tools that are offered now. */
  readonly offer: () => ToolOffer;
  /** True keeps results in memory until the chain ends. False keeps only the records. */
  readonly keepResults: boolean;
  readonly caller: Caller;
  /** Called when a call has ended, before its end is stored. Must not throw. */
  readonly onSettled?: ((call: CallRecord) => void) | undefined;
  /** The calls of a resumed chain. */
  readonly records: Iterable<CallRecord>;
}

/**
 * The calls of a chain. `idle` resolves when no call is active: all have ended, or wait for a user
 * or a client.
 */
export class TurnCalls {
  readonly #executor: ToolExecutor;
  readonly #signal: AbortSignal;
  readonly #setup: CallSetup;
  readonly #host: JournalHost;
  readonly #items: CallOutputItems;
  /** Calls that have not ended, without sub-calls, in the order in which they were added. */
  readonly #calls = new Map<string, Call>();
  /** The active calls of `#calls`. */
  readonly #active = new Set<Call>();
  #idle: PromiseWithResolvers<void> | undefined;
  /** The reason why no further call may start. */
  #stopReason: string | undefined;

  constructor(options: TurnCallsOptions) {
    const { executor, signal, requireApproval, offer, checkToolResults, caller } = options;
    const { gate, scheduler } = executor;
    this.#executor = executor;
    this.#signal = signal;
    this.#items = new CallOutputItems(options.newItemId, options.records);
    this.#host = new JournalHost({
      ...options,
      items: this.#items,
      onApproved: (callId, grant) => {
        if (this.#stopReason !== undefined) this.#calls.get(callId)?.stop(this.#stopReason);
        this.#answerCovered(grant);
      },
    });
    const host = this.#host;
    this.#setup = { gate, scheduler, host, caller, requireApproval, offer, checkToolResults };
  }

  /** All calls, including sub-calls, in the order of their proposal. */
  get records(): Map<string, CallRecord> {
    return this.#host.records;
  }

  get results(): ReadonlyMap<string, SettledToolResult> {
    return this.#host.results;
  }

  /**
   * Returns the requests that the chain waits for: approvals and client outputs in the order of the
   * calls, then reviews.
   */
  waiting(): readonly Awaited[] {
    const waiting = [...this.#calls.values()].flatMap(({ pending }) => pending ?? []);
    const isReview = ({ kind }: PendingRequest) => kind === "review";
    return [...waiting.filter((each) => !isReview(each)), ...waiting.filter(isReview)].map(awaited);
  }

  /**
   * Returns the answer of the final tools among these calls. `cut`: includes calls that did not
   * complete.
   */
  finalAnswer(calls: readonly ToolCallRequest[], options: { readonly cut: boolean }): FinalAnswer {
    return this.#items.finalAnswer(this.records, calls, options);
  }

  /**
   * Whether some calls have not ended. If none of them is active, they wait for a user or a client.
   */
  get isOpen(): boolean {
    return this.#calls.size > 0;
  }

  get isActive(): boolean {
    return this.#active.size > 0;
  }

  /** Resolves when no call is active. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) {
      this.#idle ??= Promise.withResolvers();
      await this.#idle.promise;
    }
  }

  /** Adds the calls of a round. Starts them after all of them are recorded. */
  addRound(round: readonly RoundCall[]): void {
    for (const call of round) {
      if (call.status === "settled") this.settle(call);
      else {
        const approval = call.status === "asks" ? call.approval : undefined;
        void this.#host.commit({ step: "proposed", record: call.record, approval });
      }
    }
    for (const call of round) {
      if (call.status === "client") this.start(call.record, clientEntry(call.record));
      if (call.status === "approved") this.start(call.record, { at: "run", approved: call });
      if (call.status === "asks")
        this.start(call.record, { at: "ask", pending: approvalRequest(call) });
    }
  }

  start(record: CallRecord, entry: CallEntry): void {
    const { callId } = record;
    this.records.set(callId, record);
    const call = new Call(this.#setup, callId);
    if (entry.at === "suspended") this.#host.questions.set(entry.pending.id, call);
    if (this.#signal.aborted) call.stop("the turn was stopped");
    else if (entry.at === "run" && this.#stopReason !== undefined) call.stop(this.#stopReason);
    this.#track(call, () => call.start(entry));
    // A listener may have stopped the chain when the call wrote its first output.
    if (this.#signal.aborted && this.#calls.has(callId)) this.#stop(call, "the turn was stopped");
  }

  /** Records the end, with its events, of a call that ended in another run. */
  addSettledElsewhere(record: CallRecord): void {
    const writes = settledElsewhereWrites(record);
    if (writes.length > 0) this.#host.write(record, () => writes);
  }

  /** Records the end of a call that does not run here. */
  settle({ record, result }: SettledCall): void {
    void this.#host.commit({ step: "settled", record, result });
  }

  /** Ends a call that never ran here. */
  close(record: CallRecord, end: EndWithoutResult): void {
    this.settle(settleWithoutResult(this.#executor.gate, record, end));
  }

  /** Ends a call whose result will not be reviewed. */
  withhold(record: CallRecord, reason: string): void {
    this.settle(withholdResult(this.#executor.gate, record, { reason, by: "system" }));
  }

  /** Answers an approval request. Returns false if no request with this id waits. */
  answer(approvalId: string, decision: ApprovalDecision): boolean {
    return this.#answer(approvalId, "approval", decision);
  }

  /** Answers a review. Returns false if no review with this id waits. */
  answerReview(reviewId: string, decision: ReviewDecision): boolean {
    return this.#answer(reviewId, "review", decision);
  }

  #answer(
    id: string,
    kind: "approval" | "review",
    decision: ApprovalDecision | ReviewDecision,
  ): boolean {
    const asking = this.#host.questions.get(id);
    if (asking?.pending?.id !== id || asking.pending.kind !== kind) return false;
    const call = this.#calls.get(asking.callId);
    // A sub-call is not in `#calls`: it is active while its parent is.
    if (call === undefined) return asking.answer(decision);
    return this.#track(call, () => call.answer(decision));
  }

  /** Answers the other approval requests that a new grant covers. */
  #answerCovered(grant: Grant | undefined): void {
    const asked = [...this.#host.questions.values()].flatMap(({ pending }) =>
      pending?.kind === "approval" ? [pending.approval] : [],
    );
    for (const id of coveredBy(grant, asked, this.#executor.gate.registry))
      this.answer(id, { decision: "allow", by: "grant" });
  }

  /** Submits the output of a client's tool. Returns false if no such call waits. */
  submit({ callId, output: given, parts }: ClientOutput): boolean {
    const call = this.#calls.get(callId);
    if (call?.pending?.kind !== "output") return false;
    if (typeof given !== "string")
      throw new TypeError(`The output of ${callId} must be a text, not ${shortJson(given)}.`);
    return this.#track(call, () => call.answer({ output: given, parts }));
  }

  /** Stops one call. Returns false if it has ended. */
  cancel(callId: string, reason: string): boolean {
    const record = this.records.get(callId);
    if (record === undefined || isSettled(record.status)) return false;
    const call = this.#calls.get(callId);
    if (call === undefined) return this.#executor.cancel(callId, reason);
    this.#stop(call, reason);
    return true;
  }

  /**
   * Stops the running calls and all later ones. Calls that wait for a user or a client keep
   * waiting.
   */
  stopRunning(reason: string): void {
    this.#stopReason = reason;
    for (const call of this.#calls.values())
      if (call.state === "approved" || call.state === "started") this.#stop(call, reason);
  }

  cancelAll(reason: string): void {
    for (const call of this.#calls.values()) this.#stop(call, reason);
  }

  #stop(call: Call, reason: string): void {
    this.#track(call, () => call.stop(reason));
  }

  /** Starts or continues a call, and tracks it until it ends or is suspended. */
  #track<T>(call: Call, action: () => T): T {
    const result = action();
    const { end } = call;
    if (this.#active.has(call)) return result;
    if (end === undefined || end.status === "suspended") this.#calls.set(call.callId, call);
    if (end !== undefined) this.#callEnded(call, end);
    else {
      this.#active.add(call);
      void call.ended.then((ended) => {
        this.#active.delete(call);
        this.#callEnded(call, ended);
        if (this.#active.size > 0) return;
        this.#idle?.resolve();
        this.#idle = undefined;
      });
    }
    return result;
  }

  #callEnded({ callId }: Call, end: CallEnd): void {
    if (end.status === "suspended") return;
    const record = this.records.get(callId);
    this.#calls.delete(callId);
    if (end.status === "settled" || record === undefined) return;
    const message = `${record.name} could not be completed here.`;
    this.close(record, { status: "error", error: { code: "internal", message } });
  }
}

/** Returns the entry of a client's call, which waits until its output is submitted. */
export function clientEntry(record: CallRecord): CallEntry {
  return { at: "suspended", pending: { kind: "output", id: record.callId, record } };
}

function awaited(pending: PendingRequest): Awaited {
  const { callId, name, argumentsText } = pending.record;
  switch (pending.kind) {
    case "approval":
      return { type: "approval", callId, approval: pending.approval };
    case "review": {
      const { review } = pending.record;
      if (review === undefined) throw new TypeError(`${callId} is not in review.`);
      return { type: "review", callId, review };
    }
    case "output":
      return { type: "client_call", callId, name, argumentsText };
  }
}
