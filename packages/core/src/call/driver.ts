// The life of one call. All calls use this driver: calls of `execute`, calls of a chain, and sub-calls
// (calls of other calls), new or continued from a stored record. They differ only in their host (which
// stores steps and asks users), in their entry, and in their parent.
//
//   proposed ─┬─────────────▶ approved ──▶ started ─┬──────────────▶ settled
//             └─▶ waiting ───────▲                   └─▶ in_review ──────▲
//
// Each arrow is one commit of the host, made before the call acts on it. In every state a call can
// also settle early: it is rejected, fails, is stopped, or is answered by a client that ran it. A
// waiting call without a parent is suspended if the answer comes later: only its record remains. The
// table shows the effect of a stop in each state, and how a process resumes the stored state after a
// `kill -9`:
//
// | state     | the call                                | `stop`                       | after a kill                              |
// | --------- | --------------------------------------- | ---------------------------- | ----------------------------------------- |
// | proposed  | stages 1 to 5 check it                  | cancelled, not begun         | not recorded: its caller proposes again.  |
// | waiting   | a user or a client has to answer        | request withdrawn, cancelled | waits again, under the same id.           |
// | approved  | waits for its locks and a slot          | leaves the queue, cancelled  | is checked again, then runs.              |
// | started   | recorded as started, then its tool runs | signal, grace, cancelled     | runs again if its tool declares this as   |
// |           |                                         | (it may have acted)          | safe, else ends as `outcome_unknown`.     |
// | in_review | its result is in quarantine             | result withheld              | waits again, from the quarantine.         |
// | settled   | recorded with its end, then its caller  | nothing                      | has ended, and is not run again.          |
// |           | gets the result                         |                              |                                           |
//
// - Sub-calls are not resumed: if their parent runs again, it makes them again.
// - A call settles exactly once. `stop` and `answer` end a wait, never a commit: a stop during a commit
//   takes effect after the commit.
// - A call that waits for an answer holds no locks and no slot. A sub-call that waits pauses the
//   deadlines of its ancestors. An ancestor releases its locks when all its running work waits.
// - Sub-calls end before their parent settles, so no work continues after the parent's end.
// - If the host fails to commit, the call is `broken`: it stops and releases its locks.
import type { ApprovalDecision } from "../policy/approval.ts";
import type { ReviewDecision } from "../policy/review.ts";
import type { JsonObject } from "../base/json.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import { deniedResources } from "../policy/denied-resources.ts";
import { filesFor, requestToolFor } from "../tool/caller.ts";
import type { SettledToolResult } from "../tool/tool-result.ts";
import { readVariable } from "../variables/missing-variable.ts";
import type { Variable } from "../variables/variable.ts";
import type { CallEnd, CallEntry, CallSetup, CallState } from "./call-setup.ts";
import {
  type ActiveCall,
  type Answer,
  type CallChange,
  type GivenApproval,
  type OutputAnswer,
  type PendingRequest,
  type AnsweredProposal,
  type ApprovedProposal,
  approvalRequest,
  type Proposal,
} from "./gate/call-host.ts";
import { recheck, recheckFailureText, recheckShown } from "./gate/recheck.ts";
import { endOf } from "./gate/gate.ts";
import { cancelCall, clientResult, failCall } from "./gate/settle-without-result.ts";
import { answerProposal } from "./propose/answer-proposal.ts";
import { newRecord, propose } from "./propose/propose.ts";
import type { CallRecord } from "./record/call-record.ts";
import type { SettledCall, ToolOutcome } from "./record/call-outcome.ts";
import { CallOutput } from "./run/call-output.ts";
import { type RunningTool, runTool } from "./run/run-tool.ts";
import { lockRequestOf, type Ticket, deadlockError } from "./schedule/locks.ts";
import { settle } from "./settle/settle.ts";
import { storeParts } from "./settle/store-parts.ts";
import { reviewRequest, settleReviewed, withholdResult } from "./settle/review-result.ts";
import { type Step, Steps, wait } from "./steps.ts";
import {
  type ParentCall,
  subCallRefusal,
  subCallRequest,
  subCallResult,
  SubCallShare,
} from "./sub-call.ts";

/** One call, from its entry until it ends or is suspended. */
export class Call implements ActiveCall, ParentCall {
  readonly callId: string;
  readonly parent: ParentCall | undefined;
  state: CallState | "settled" = "proposed";
  /**
   * How the call ended or was suspended; undefined until then. It may be set when `start` returns.
   */
  end: CallEnd | undefined;
  pending: PendingRequest | undefined;
  /** Its scheduler ticket, from `approved` on. */
  ticket: Ticket | undefined;
  readonly #setup: CallSetup;
  #record: CallRecord | undefined;
  #registered: RegisteredTool | undefined;
  readonly #steps = new Steps((thrown) => this.#break(thrown));
  /** A stop that takes effect later, because the call has not begun or a commit is in flight. */
  #isUninterruptible = true;
  #stopReason: string | undefined;
  #question: AbortController | undefined;
  #running: RunningTool | undefined;
  #output: CallOutput | undefined;
  /** The tool has ended: its further output and calls are ignored. */
  #isOver = false;
  #toolEnd: PromiseWithResolvers<void> | undefined;
  /** Sub-calls that have not ended. */
  #children: Set<ActiveCall> | undefined;
  #subCallsMade = 0;
  /** Sub-calls that pause this call's deadline. */
  #deadlinePauses = 0;
  readonly #share: SubCallShare | undefined;
  #ended: PromiseWithResolvers<CallEnd> | undefined;

  constructor(setup: CallSetup, callId: string) {
    this.callId = callId;
    this.#setup = setup;
    this.parent = setup.parent;
    setup.gate.activeCalls.push(this);
    setup.parent?.children.add(this);
    this.#share = setup.parent && new SubCallShare(setup.parent, setup.scheduler);
  }

  /** Resolves when the call ends or is suspended. Never rejects. */
  get ended(): Promise<CallEnd> {
    if (this.end !== undefined) return Promise.resolve(this.end);
    this.#ended ??= Promise.withResolvers();
    return this.#ended.promise;
  }

  /** Starts the call. A call that was stopped before it started is settled as cancelled. */
  start(entry: CallEntry): this {
    this.#isUninterruptible = false;
    this.#steps.advance(() => this.#enter(entry));
    return this;
  }

  answer(answer: Answer): boolean {
    const pending = this.pending;
    if (pending === undefined) return false;
    this.#wake();
    this.#steps.advance(() => this.#takeAnswer(pending, answer));
    return true;
  }

  stop(reason: string): void {
    if (this.#stopReason !== undefined || this.state === "settled") return;
    this.#stopReason = reason;
    this.#stopChildren(parentEnded);
    this.#running?.cancel(reason);
    if (this.#isUninterruptible || this.state === "started") return;
    this.#wake();
    this.#steps.advance(() => this.#settleStopped());
  }

  #commit(change: CallChange, proceed: (isOwned: boolean) => Step | undefined): Step {
    this.#isUninterruptible = true;
    return wait(this.#setup.host.commit(change), (isOwned) => {
      this.#isUninterruptible = false;
      return proceed(isOwned);
    });
  }

  #enter(entry: CallEntry): Step | undefined {
    if (entry.at === "propose") return this.#propose(entry);
    if (entry.at === "run") return this.#run(entry.approved);
    const { pending } = entry;
    this.#wait(pending);
    if (entry.at === "ask") return this.#ask(pending);
    this.pending = pending;
    return this.#stopReason === undefined ? this.#suspend(pending) : this.#settleStopped();
  }

  // proposed: stages 1 to 5

  #propose({ request, refusal }: Extract<CallEntry, { readonly at: "propose" }>): Step {
    const { gate } = this.#setup;
    this.#record = newRecord(request, gate.clock.now());
    return wait(propose(gate, request), (proposal) =>
      this.#proposed(
        refusal === undefined ? proposal : failCall(gate, proposal.record, "error", refusal),
      ),
    );
  }

  #proposed(proposal: Proposal): Step {
    if (proposal.status === "settled") return this.#settle(proposal);
    const { record } = proposal;
    this.#record = record;
    if (this.#stopReason !== undefined) return this.#settleStopped();
    const approval = proposal.status === "asks" ? proposal.approval : undefined;
    return this.#commit({ step: "proposed", record, approval }, () => {
      if (proposal.status === "approved") return this.#run(proposal);
      const pending = approvalRequest(proposal);
      this.#wait(pending);
      return this.#ask(pending);
    });
  }

  // waiting and in_review: an answer is pending

  #wait(pending: PendingRequest): void {
    this.state = pending.kind === "review" ? "in_review" : "waiting";
    this.#record = pending.record;
    this.#share?.wait();
  }

  #ask(pending: PendingRequest): Step {
    if (this.#stopReason !== undefined) return this.#settleStopped();
    this.pending = pending;
    this.#question = new AbortController();
    const { signal } = this.#question;
    return wait(this.#setup.host.request(pending, this, signal), (answer) =>
      answer === "later" ? this.#suspend(pending) : this.#takeAnswer(pending, answer),
    );
  }

  /** Suspends the call. A sub-call keeps waiting instead, because its parent waits for it. */
  #suspend(pending: PendingRequest): undefined {
    if (this.parent === undefined) this.#rest({ status: "suspended", pending });
  }

  #takeAnswer(pending: PendingRequest, answer: Answer): Step | undefined {
    const { gate } = this.#setup;
    this.#withdrawQuestion();
    return this.#withAncestors(() => {
      // The chain, the executor and the host look up a pending request by its kind.
      switch (pending.kind) {
        case "approval":
          return wait(answerProposal(gate, pending, answer as ApprovalDecision), (answered) =>
            this.#answered(pending.id, answered),
          );
        case "review":
          return this.#settle(settleReviewed(gate, pending, answer as ReviewDecision));
        case "output":
          return this.#settle(clientResult(gate, pending.record, answer as OutputAnswer));
      }
    });
  }

  #answered(approvalId: string, { proposal, grant }: AnsweredProposal): Step {
    const answered = { approvalId, grant };
    if (proposal.status === "settled") return this.#settle(proposal, answered);
    const { record } = proposal;
    this.#record = record;
    return this.#commit({ step: "answered", record, answered }, () => this.#run(proposal));
  }

  // approved: waits for its locks and a slot

  #run({ record, registered }: ApprovedProposal): Step | undefined {
    this.state = "approved";
    this.#record = record;
    this.#registered = registered;
    if (this.#stopReason !== undefined) return this.#settleStopped();
    return this.#withAncestors(() => this.#queue(record, registered));
  }

  #queue(record: CallRecord, registered: RegisteredTool): Step | undefined {
    const { scheduler, gate } = this.#setup;
    const { args = {} } = record;
    const ticket = scheduler.enter(lockRequestOf(registered, args), {
      start: (own) => {
        // A call that started in the same moment may have stopped this one.
        if (this.state !== "approved") scheduler.leave(own);
        else this.#steps.advance(() => this.#start(own, args));
      },
      parent: this.parent?.ticket,
    });
    if (ticket === undefined)
      return this.#settle(failCall(gate, record, "error", deadlockError(record.name)));
    if (this.state === "approved") this.ticket = ticket;
    else if (this.ticket === undefined) scheduler.leave(ticket);
    return undefined;
  }

  // started: the record is stored first, then the tool runs

  #start(ticket: Ticket, args: JsonObject): Step {
    const { gate } = this.#setup;
    const registered = this.#registered as RegisteredTool;
    const hasQueued = this.ticket !== undefined;
    this.ticket = ticket;
    const failure = hasQueued ? recheck(gate, registered, args) : undefined;
    if (failure !== undefined) return this.#cancel(recheckFailureText(failure));
    const record = this.#record as CallRecord;
    const checking = recheckShown({ gate, registered, args, record });
    if (checking === undefined) return this.#begin(registered, args);
    return wait(checking, (checked) => {
      if (checked.status === "read") return this.#begin(registered, args, checked.found);
      this.#leaveQueue();
      return this.#settle(failCall(gate, record, "error", checked.error));
    });
  }

  #begin(
    registered: RegisteredTool,
    args: JsonObject,
    variables?: ReadonlyMap<string, Variable>,
  ): Step {
    const { gate } = this.#setup;
    const startedAt = endOf(gate, this.#record as CallRecord);
    const record: CallRecord = { ...(this.#record as CallRecord), status: "started", startedAt };
    this.state = "started";
    this.#record = record;
    return this.#commit({ step: "started", record }, (isOwned) => {
      if (!isOwned) return this.#cancel("another process owns the run now");
      if (this.#stopReason !== undefined) return this.#settleStopped();
      // The record's arguments are not used: a host may have changed them.
      return this.#execute(registered, args, variables);
    });
  }

  #execute(
    registered: RegisteredTool,
    args: JsonObject,
    variables: ReadonlyMap<string, Variable> | undefined,
  ): Step {
    const { gate, caller } = this.#setup;
    const record = this.#record as CallRecord;
    const stop = new AbortController();
    const tool = requestToolFor(caller.tools, registered);
    this.#output = new CallOutput(this.#setup, record, { registered, type: tool?.type });
    this.#running = runTool({
      gate,
      registered,
      args,
      startedAt: record.startedAt ?? gate.clock.now(),
      stop,
      context: {
        callId: this.callId,
        toolId: registered.id,
        tool,
        signal: stop.signal,
        output: this.#output.output,
        variables: gate.variables,
        readVariable: async (name) => variables?.get(name) ?? readVariable(gate.variables, name),
        principal: caller.principal,
        request: caller.request,
        files: filesFor(caller.files, registered, tool?.type),
        denied: () => deniedResources([...gate.rules, ...gate.overrides()]),
        ...(record.approval?.preview !== undefined && {
          approvedEffect: record.approval.preview.digest,
        }),
        idempotencyKey: record.idempotencyKey,
        callTool: (name, args, how) => this.#callTool(record, name, args, how),
      },
    });
    const { deadline, outcome } = this.#running;
    // Before its first `await`, a tool can call another tool that waits, or trigger a listener that
    // stops this call.
    for (let n = 0; n < this.#deadlinePauses; n++) deadline?.pause();
    if (this.#stopReason !== undefined) this.#running.cancel(this.#stopReason);
    return wait(outcome, (ended) => this.#toolEnded(ended));
  }

  #toolEnded(ended: ToolOutcome): Step {
    const outcome = this.#output?.withOutput(ended) ?? ended;
    this.#isOver = true;
    this.#toolEnd?.resolve();
    const finalText = this.#output?.close({ succeeded: outcome.status === "returned" });
    if (this.#children === undefined) return this.#settleOutcome(outcome, finalText);
    this.#stopChildren(parentEnded);
    const ends = [...this.#children].map((child) => child.ended);
    return wait(Promise.all(ends), () =>
      this.#settleOutcome(
        { ...outcome, endedAt: endOf(this.#setup.gate, this.#record as CallRecord) },
        finalText,
      ),
    );
  }

  // settled: stages 8 to 12, with a review in between

  #settleOutcome(outcome: ToolOutcome, finalText: string | undefined): Step {
    const { gate, checkToolResults } = this.#setup;
    this.#leaveQueue();
    const record = this.#record as CallRecord;
    const registered = this.#registered as RegisteredTool;
    const settling = settle({ gate, record, registered, outcome, finalText, checkToolResults });
    if (settling.status === "settled") return this.#settle(settling);
    const pending = reviewRequest(settling);
    this.#wait(pending);
    return this.#commit({ step: "in_review", record: settling.record }, () => this.#ask(pending));
  }

  #settleStopped(): Step {
    const { gate } = this.#setup;
    if (this.state !== "in_review") return this.#cancel(this.#stopReason ?? "");
    this.#withdrawQuestion();
    const reason = "it was stopped before a user reviewed it";
    return this.#settle(withholdResult(gate, this.#record as CallRecord, { reason, by: "system" }));
  }

  /** Ends a call before its tool is called. */
  #cancel(reason: string): Step {
    this.#withdrawQuestion();
    this.#leaveQueue();
    return this.#settle(cancelCall(this.#setup.gate, this.#record as CallRecord, reason));
  }

  #settle(settled: SettledCall, answered?: GivenApproval): Step {
    this.state = "settled";
    return wait(storeParts(this.#setup.gate, settled), (stored) => {
      const { record, result } = stored;
      return this.#commit({ step: "settled", record, result, answered }, () =>
        this.#withAncestors(() => this.#rest(stored)),
      );
    });
  }

  /** Ends the driver after the host failed to store a step. */
  #break(thrown: unknown): void {
    if (this.end !== undefined) return;
    this.#steps.end();
    this.state = "settled";
    this.#isOver = true;
    this.#toolEnd?.resolve();
    this.#output?.close({ succeeded: false });
    this.#stopChildren("the call that made it failed");
    this.#running?.cancel("it could not be recorded");
    this.#withdrawQuestion();
    this.#leaveQueue();
    this.#rest({ status: "broken", thrown });
  }

  #rest(end: CallEnd): undefined {
    this.end = end;
    const { activeCalls } = this.#setup.gate;
    activeCalls.splice(activeCalls.indexOf(this), 1);
    this.parent?.children.delete(this);
    if (end.status !== "suspended") this.#share?.close();
    this.#ended?.resolve(end);
  }

  #wake(): void {
    if (this.end === undefined) return;
    this.end = undefined;
    this.#ended = undefined;
    this.#setup.gate.activeCalls.push(this);
  }

  #withdrawQuestion(): void {
    this.pending = undefined;
    this.#question?.abort();
    this.#question = undefined;
  }

  #leaveQueue(): void {
    if (this.ticket !== undefined) this.#setup.scheduler.leave(this.ticket);
  }

  // Sub-calls

  /**
   * `context.callTool`: records the sub-call under this call and runs it in this call's slot and
   * locks.
   */
  #callTool(
    parentRecord: CallRecord,
    ...called: Parameters<ToolContext["callTool"]>
  ): Promise<SettledToolResult> {
    const { gate, requireApproval } = this.#setup;
    const made = ++this.#subCallsMade;
    const request = subCallRequest(parentRecord, made, called, requireApproval);
    // The call's end is decided and its record may be closed, so no reader would see the sub-call.
    if (this.#isOver || this.#stopReason !== undefined)
      return Promise.resolve(
        cancelCall(gate, newRecord(request, gate.clock.now()), parentEnded).result,
      );
    const depth = (this.ticket?.depth ?? 0) + 1;
    const { name } = request;
    const caller = parentRecord.toolId ?? "";
    const refusal = subCallRefusal(this.#setup, { depth, made, name, caller });
    const child = new Call({ ...this.#setup, parent: this }, request.callId);
    child.start({ at: "propose", request, refusal });
    const result = child.ended.then(subCallResult);
    // A tool may ignore the promise.
    result.catch(() => {});
    return result;
  }

  /** Continues when the parent and its ancestors hold their locks again, if they released them. */
  #withAncestors(proceed: () => Step | undefined): Step | undefined {
    const resumed = this.#share?.resume();
    return resumed === undefined ? proceed() : wait(resumed, proceed);
  }

  get children(): Set<ActiveCall> {
    return (this.#children ??= new Set());
  }

  #stopChildren(reason: string): void {
    for (const child of this.#children ?? []) child.stop(reason);
  }

  get toolEnd(): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    this.#toolEnd ??= Promise.withResolvers();
    return this.#toolEnd.promise;
  }

  pauseDeadline(): void {
    this.#deadlinePauses++;
    this.#running?.deadline?.pause();
  }

  resumeDeadline(): void {
    this.#deadlinePauses--;
    this.#running?.deadline?.resume();
  }
}

const parentEnded = "the call that made it ended";
