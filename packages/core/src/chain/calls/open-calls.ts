import { shortJson } from "../../json/short-json.ts";
import { errorMessage } from "../../base/errors.ts";
import { answerProposal } from "../../call/propose/answer-proposal.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { isSettled } from "../../call/record/call-status.ts";
import type { CallObserver } from "../../call/gate/call-observer.ts";
import { startCall } from "../../call/driver.ts";
import type { CallDriverEnd, CallHandle } from "../../call/driver-options.ts";
import type { AskingProposal, Proposal } from "../../call/gate/proposal.ts";
import { withholdResult } from "../../call/settle/review-result.ts";
import type { CallInReview, SettledCall } from "../../call/record/settled-call.ts";
import {
  type EndWithoutResult,
  settleWithoutResult,
  cancelledBeforeStart,
} from "../../call/gate/settle-without-result.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import type { RequireApprovalOf } from "../../policy/decide.ts";
import type { Grant } from "../../policy/grant.ts";
import type { ReviewDecision } from "../../policy/review.ts";
import type { Caller } from "../../tool/caller.ts";
import { coveredBy } from "./covered-by.ts";
import { answerWrites } from "./answer-writes.ts";
import { clientResult } from "./client-result.ts";
import type { Awaited } from "../journal/chain-result.ts";
import type { JournalWrite } from "../journal/journal.ts";
import { onAbort } from "./on-abort.ts";
import { OpenReviews } from "./open-reviews.ts";
import { PendingWork } from "./pending-work.ts";
import type { AddCall } from "./add-call.ts";
import type { Recorder } from "../journal/recorder.ts";
import {
  settledElsewhereWrites,
  endWrites,
  eventWrites,
  proposalWrites,
  proposedEvent,
} from "./call-events.ts";
import { reviewRequested } from "./review-events.ts";
import { CallOutputItems } from "./call-output-items.ts";
import type { ClientOutput } from "../options/tool-chain-options.ts";
import { untilAborted } from "./until-aborted.ts";

/** What goes on. */
type OpenProposal = Exclude<Proposal, { readonly status: "settled" }>;

/** Why a question is taken away. Made once: without a reason, each abort makes an error with a stack of its own. */
const noLongerAsked = new Error("It is not asked any more.");

/** What is told of a call's step. */
type MakeWrites = () => readonly JournalWrite[];
const noWrites: MakeWrites = () => [];

/** A call that has not ended. */
type OpenCall =
  | { readonly type: "asked"; readonly asked: AskingProposal; readonly stop?: AbortController }
  | { readonly type: "client"; readonly record: CallRecord }
  | { readonly type: "running"; readonly live: CallHandle };

/**
 * The calls of a chain, and whatever is open of them. Each is written to the journal at every
 * step of its life. `idle` resolves when nothing moves by itself any more: all calls have ended,
 * or those that have not wait for a person or a client.
 */
export class OpenCalls {
  readonly records = new Map<string, CallRecord>();
  readonly ended = new Map<string, SettledCall>();
  readonly #executor: ToolExecutor;
  readonly #recorder: Recorder;
  readonly #signal: AbortSignal;
  readonly #open = new Map<string, OpenCall>();
  /** Sub-calls that wait for a person while their parent runs. */
  readonly #subAsks = new Map<
    string,
    {
      readonly approval: AskingProposal["approval"];
      readonly decide: (decision: ApprovalDecision) => void;
    }
  >();
  readonly #reviews: OpenReviews;
  readonly #outputItems: CallOutputItems;
  readonly #checkToolResults: boolean;
  readonly #requireApproval: RequireApprovalOf | undefined;
  readonly #keepResults: boolean;
  readonly #work: PendingWork;
  #approvedOrAsking: OpenProposal[] = [];
  readonly #caller: Caller;
  #stopReason: string | undefined;

  constructor(options: {
    executor: ToolExecutor;
    recorder: Recorder;
    signal: AbortSignal;
    newItemId: () => string;
    checkToolResults: boolean;
    requireApproval: RequireApprovalOf | undefined;
    /** Whole results stay at hand to the end; else the records are all there is. */
    keepResults: boolean;
    /** The record of a call could not be carried on. */
    onFailure: (thrown: unknown) => void;
    caller: Caller;
    records: Iterable<CallRecord>;
  }) {
    this.#executor = options.executor;
    this.#recorder = options.recorder;
    this.#signal = options.signal;
    this.#checkToolResults = options.checkToolResults;
    this.#requireApproval = options.requireApproval;
    this.#keepResults = options.keepResults;
    this.#work = new PendingWork(options.onFailure);
    this.#caller = options.caller;
    this.#reviews = new OpenReviews({
      executor: options.executor,
      signal: options.signal,
      settle: (settled) => this.#work.start(() => this.#settled(settled)),
    });
    for (const record of options.records) this.records.set(record.callId, record);
    this.#outputItems = new CallOutputItems(options.newItemId, this.records.values());
  }

  /** What is waited for, in the order of the calls. */
  waiting(): readonly Awaited[] {
    const waiting: Awaited[] = [];
    for (const callId of this.#open.size === 0 ? [] : this.records.keys()) {
      const open = this.#open.get(callId);
      if (open === undefined) continue;
      if (open.type === "asked")
        waiting.push({ type: "approval", callId, approval: open.asked.approval });
      if (open.type === "client") {
        const { name, argumentsText } = open.record;
        waiting.push({ type: "client_call", callId, name, argumentsText });
      }
    }
    return [...waiting, ...this.#reviews.waiting()];
  }

  /** What the final ones of these calls said; `cut`: those too that did not come to their end. */
  finalText(calls: readonly ToolCallRequest[], options: { readonly cut: boolean }): string {
    return this.#outputItems.finalText(this.records, calls, options);
  }

  /** Undefined where nothing moves. */
  idle(): Promise<void> | undefined {
    return this.#work.idle();
  }

  /** Takes the calls of a round in. None runs before all are on record. */
  addRound(calls: readonly AddCall[]): void {
    for (const take of calls) take();
    this.#startProposals();
  }

  /**
   * Takes a proposal into the chain: writes it, and runs it, asks about it, or ends it. Nobody is
   * asked before the question is written; what runs is written again as it starts, and waits then.
   */
  add(proposal: Proposal): void {
    this.#work.start(() => {
      this.#propose(proposal);
      if (proposal.status === "settled") return undefined;
      const written = proposal.status === "asks" && this.#recorder.committed();
      if (written instanceof Promise)
        return written.then(() => this.#ask(proposal as AskingProposal));
      this.#approvedOrAsking.push(proposal);
      return undefined;
    });
  }

  #startProposals(): void {
    const proposals = this.#approvedOrAsking;
    this.#approvedOrAsking = [];
    for (const next of proposals)
      this.#work.start(() => (next.status === "approved" ? this.#start(next) : this.#ask(next)));
  }

  /** A client's call: announced, and open until its output comes. */
  addClient(record: CallRecord, announced = true): void {
    this.#open.set(record.callId, { type: "client", record });
    if (!announced) return;
    const { callId, args = {} } = record;
    this.#record(record, () =>
      eventWrites([
        { ...proposedEvent(record, this.#executor), args },
        { type: "client_call.waiting", callId },
      ]),
    );
  }

  /** Adds a resumed call that still waits for approval. The user is asked again unless the answer exists. */
  addAsked(asked: AskingProposal, { answered }: { readonly answered: boolean }): void {
    const { callId } = asked.record;
    this.records.set(callId, asked.record);
    if (answered) this.#open.set(callId, { type: "asked", asked });
    else this.#work.start(() => this.#ask(asked));
  }

  /** Adds a resumed call whose result still waits for review. */
  addInReview(call: CallInReview, announced: boolean): void {
    this.records.set(call.record.callId, call.record);
    this.#reviews.suspend(call);
    if (announced) this.#record(call.record, () => reviewRequested(call.record));
  }

  /** Ends a call whose result nobody will see any more. */
  withhold(record: CallRecord, reason: string): void {
    const end = withholdResult(this.#executor.gate, record, { reason, by: "system" });
    this.#work.start(() => this.#settled(end));
  }

  /** Adds a resumed call that was approved and had not started, or that may run again. */
  addApproved(proposal: Extract<Proposal, { readonly status: "approved" }>): void {
    this.records.set(proposal.record.callId, proposal.record);
    this.#work.start(() => this.#start(proposal));
  }

  /** Ends a call that was never proposed: there were too many, or the turn was stopped. */
  refuse(record: CallRecord, end: EndWithoutResult): void {
    const ended = settleWithoutResult(this.#executor.gate, record, end);
    const writes = () => eventWrites([proposedEvent(record, this.#executor)]);
    this.#work.start(() => this.#settled(ended, writes));
  }

  /** Ends a call that never ran here. */
  close(record: CallRecord, end: EndWithoutResult): void {
    const open = this.#open.get(record.callId);
    if (open?.type === "asked") open.stop?.abort(noLongerAsked);
    this.#open.delete(record.callId);
    this.#work.start(() => this.#settled(settleWithoutResult(this.#executor.gate, record, end)));
  }

  /** Takes over what became of a call in another run; it is told as it was there. */
  addSettledElsewhere(record: CallRecord): void {
    const writes = settledElsewhereWrites(record);
    if (writes.length > 0) this.#record(record, () => writes);
  }

  /** A person's word. False where nothing of that id waits. */
  answer(approvalId: string, decision: ApprovalDecision): boolean {
    const sub = this.#subAsks.get(approvalId);
    if (sub !== undefined) {
      sub.decide(decision);
      return true;
    }
    for (const [callId, open] of this.#open) {
      if (open.type !== "asked" || open.asked.approval.id !== approvalId) continue;
      this.#open.delete(callId);
      // Whoever still shows the question takes it away.
      open.stop?.abort(noLongerAsked);
      this.#work.start(() => this.#answered(open.asked, decision));
      return true;
    }
    return false;
  }

  /** A person's word on a result. False where nothing of that id waits. */
  answerReview(reviewId: string, decision: ReviewDecision): boolean {
    return this.#reviews.answer(reviewId, decision);
  }

  /** What a client's tool answered. False where no such call waits. */
  submit({ callId, output: given }: ClientOutput): boolean {
    const open = this.#open.get(callId);
    if (open?.type !== "client") return false;
    if (typeof given !== "string")
      throw new TypeError(`The output of ${callId} is to be a text, not ${shortJson(given)}.`);
    this.#open.delete(callId);
    const settled = clientResult(this.#executor.gate, open.record, given);
    this.#work.start(() => this.#settled(settled));
    return true;
  }

  /** Stops one call. False where it is not open. */
  cancel(callId: string, reason: string): boolean {
    if (this.#reviews.cancel(callId)) return true;
    const open = this.#open.get(callId);
    // It may be about to start, or have been made by another call.
    if (open === undefined)
      return this.records.has(callId) && this.#executor.cancel(callId, reason);
    if (open.type === "running") {
      open.live.cancel(reason);
      return true;
    }
    const record = open.type === "asked" ? open.asked.record : open.record;
    this.close(record, cancelledBeforeStart(record.name, reason));
    return true;
  }

  /** Stops what runs, and whatever would run from now on; who waits for a person or a client waits on. */
  stopRunning(reason: string): void {
    this.#stopReason = reason;
    for (const [callId, open] of this.#open)
      if (open.type === "running" && !this.#reviews.has(callId)) this.cancel(callId, reason);
  }

  cancelAll(reason: string): void {
    this.#reviews.cancelAll();
    for (const callId of this.#open.keys()) this.cancel(callId, reason);
    for (const { decide } of this.#subAsks.values())
      decide({ decision: "refuse", reason, by: "system" });
  }

  #propose(proposal: Proposal): void {
    const makeWrites = () => proposalWrites(proposal, this.#executor);
    if (proposal.status === "settled") this.#settled(proposal, makeWrites);
    else this.#record(proposal.record, makeWrites);
  }

  async #ask(asked: AskingProposal): Promise<void> {
    const { callId } = asked.record;
    const stop = new AbortController();
    this.#open.set(callId, { type: "asked", asked, stop });
    if (this.#signal.aborted) return void this.cancel(callId, "the turn was stopped");
    const unsubscribe = onAbort(this.#signal, () => stop.abort(this.#signal.reason));
    const response = this.#executor.ask(asked.approval, stop.signal);
    const decision = await untilAborted(response, this.#signal);
    unsubscribe();
    if (decision === undefined || decision.decision === "pending") return;
    // Somebody else may have answered, or stopped the call, in the meantime.
    if (this.#open.get(callId)?.type === "asked") this.answer(asked.approval.id, decision);
  }

  async #answered(asked: AskingProposal, decision: ApprovalDecision): Promise<void> {
    const answered = await answerProposal(this.#executor.gate, asked, decision);
    const writes = answerWrites(answered, asked.approval.id, this.#executor.gate.clock.now());
    const { proposal } = answered;
    const { record } = proposal;
    if (proposal.status === "settled") return this.#settled(proposal, () => writes);
    this.#record(record, () => writes);
    this.#answerCovered(answered.grant);
    return this.#start(proposal);
  }

  /** Answers what else waits and is covered by what was just allowed. */
  #answerCovered(grant: Grant | undefined): void {
    const asked = [...this.#open.values()].filter((open) => open.type === "asked");
    const questions = [
      ...asked.map((open) => open.asked.approval),
      ...[...this.#subAsks.values()].map(({ approval }) => approval),
    ];
    for (const id of coveredBy(grant, questions, this.#executor.gate.registry))
      this.answer(id, { decision: "allow", by: "grant" });
  }

  #start({ record, registered }: Extract<Proposal, { readonly status: "approved" }>): void {
    if (this.#signal.aborted || this.#stopReason !== undefined)
      return this.close(record, cancelledBeforeStart(registered.name, this.#stopReason));
    const { gate, scheduler } = this.#executor;
    this.#work.hold();
    const live = startCall(
      {
        gate,
        scheduler,
        observer: this.#observer,
        record,
        registered,
        checkToolResults: this.#checkToolResults,
        requireApproval: this.#requireApproval,
        caller: this.#caller,
      },
      (end) => this.#work.release(() => this.#onDriverEnd(record, end)),
    );
    // A call whose tool answers at once has ended by now.
    if (live.isDone) return;
    this.#open.set(record.callId, { type: "running", live });
    // What it said at once may have been a reason to stop.
    if (this.#signal.aborted) live.cancel(errorMessage(this.#signal.reason));
  }

  /** A call runs no more: it was recorded as settled, or is suspended, or could not be recorded. */
  #onDriverEnd(record: CallRecord, { status }: CallDriverEnd): void {
    if (status === "in_review") this.#open.delete(record.callId);
    if (status !== "broken") return;
    const message = `${record.name} could not be carried through here.`;
    const end = { status: "error", error: { code: "internal", message } } as const;
    this.#settled(settleWithoutResult(this.#executor.gate, record, end));
  }

  readonly #observer: CallObserver = {
    proposed: (proposal) => {
      this.#propose(proposal);
      return this.#recorder.committed();
    },
    started: (record) => {
      const { callId, startedAt: at = 0 } = record;
      const opened = this.#outputItems.started(record);
      this.#record(record, () => eventWrites([{ type: "call.started", callId, at }, ...opened]));
      return this.#recorder.committed();
    },
    review: async (call) => {
      const { record } = call;
      // A final tool's words come once they are released; an item must not stay open meanwhile.
      const ends = eventWrites(this.#outputItems.reviewed(record.callId));
      this.#record(record, () => [...ends, ...reviewRequested(record)]);
      await this.#recorder.committed();
      return this.#reviews.ask(call);
    },
    settled: (settled) => {
      this.#settled(settled);
      // Whoever made a sub-call acts on its result. The loop waits as it starts calls, and as it ends.
      return settled.record.parentCallId === undefined ? undefined : this.#recorder.committed();
    },
    answered: async ({ proposal, grant }, approval) => {
      const writes = answerWrites(
        { proposal, ...(grant !== undefined && { grant }) },
        approval.id,
        this.#executor.gate.clock.now(),
      );
      this.#recorder.append(writes);
      await this.#recorder.committed();
      this.#answerCovered(grant);
    },
    onText: (callId, delta) => {
      for (const event of this.#outputItems.write(callId, delta)) this.#recorder.appendEvent(event);
    },
    onProgress: (callId, progress) =>
      this.#recorder.appendEvent({ type: "call.progress", callId, progress }),
    onEvent: (callId, name, data) =>
      this.#recorder.appendEvent({ type: "call.event", callId, name, data }),
    ask: (approval, stop) => this.#askForSubCall(approval, stop),
  };

  async #askForSubCall(
    approval: AskingProposal["approval"],
    stop: AbortSignal,
  ): Promise<ApprovalDecision> {
    const signal = AbortSignal.any([this.#signal, stop]);
    const response = await this.#executor.ask(approval, signal);
    if (response.decision !== "pending") return response;
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
    this.#subAsks.set(approval.id, { approval, decide: resolve });
    try {
      return await promise;
    } finally {
      this.#subAsks.delete(approval.id);
    }
  }

  #settled(settled: SettledCall, before: MakeWrites = noWrites): void {
    if (this.#isSettled(settled.record.callId)) return;
    const { record, events } = this.#outputItems.settled(settled.record);
    this.#open.delete(record.callId);
    // A sub-call that was stopped while it asked: nobody needs the answer.
    if (record.approval !== undefined) this.#subAsks.delete(record.approval.id);
    if (record.review !== undefined) this.#reviews.remove(record.review.id);
    if (this.#keepResults) this.ended.set(record.callId, settled);
    this.#record(record, () => [...before(), ...endWrites(record, settled.result, events)]);
  }

  /** Writes a call's row, with what is said of it; that is not asked where nobody keeps or hears it. */
  #record(record: CallRecord, makeWrites: MakeWrites): void {
    this.records.set(record.callId, record);
    if (this.#recorder.isObserved)
      this.#recorder.append([{ type: "call", call: record }, ...makeWrites()]);
  }

  #isSettled(callId: string): boolean {
    const record = this.records.get(callId);
    return record !== undefined && isSettled(record.status);
  }
}
