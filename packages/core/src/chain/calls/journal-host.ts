import type {
  ActiveCall,
  Answer,
  CallChange,
  CallHost,
  CallOutputEvent,
  GivenApproval,
  PendingRequest,
} from "../../call/gate/call-host.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { Grant } from "../../policy/grant.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { JournalWrite } from "../journal/journal.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { CallOutputItems } from "./call-output-items.ts";
import { copyJson } from "../../json/json-value.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import { mayRunAgain, titleOf } from "../../tool/registry.ts";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";

/** The options of `JournalHost`. */
export interface JournalHostOptions {
  readonly executor: ToolExecutor;
  readonly recorder: Recorder;
  readonly items: CallOutputItems;
  /** True keeps results in memory until the chain ends. False keeps only the records. */
  readonly keepResults: boolean;
  /** Whether a tool that only reads runs before the start of its call is stored. */
  readonly startsReadsEarly: boolean;
  readonly records: Iterable<CallRecord>;
  /** Called when a call has ended, before its end is stored. Must not throw. */
  readonly onSettled?: ((call: CallRecord) => void) | undefined;
  /** Called when an answer has approved a call, before the call continues. */
  readonly onApproved: (callId: string, grant: Grant | undefined) => void;
}

/** The host of a chain's calls: stores their steps in the chain's journal, with their events. */
export class JournalHost implements CallHost {
  /** All calls of the chain, including sub-calls, in the order of their proposal. */
  readonly records = new Map<string, CallRecord>();
  readonly results = new Map<string, SettledToolResult>();
  /**
   * Calls that requested an answer, by the id of the approval or review. `pending` is undefined
   * once they are answered.
   */
  readonly questions = new Map<string, ActiveCall>();
  readonly #options: JournalHostOptions;

  constructor(options: JournalHostOptions) {
    this.#options = options;
    for (const record of options.records) this.records.set(record.callId, record);
  }

  commit(change: CallChange): boolean | Promise<boolean> {
    const { executor, recorder, items } = this.#options;
    const { record } = change;
    switch (change.step) {
      case "proposed":
        this.write(record, () => proposalWrites(record, change.approval, executor));
        return true;
      case "answered":
        this.write(record, () => this.#answerWrites(record, change.answered));
        this.#options.onApproved(record.callId, change.answered.grant);
        return true;
      case "started": {
        const { callId, startedAt: at = 0 } = record;
        const opened = items.started(record);
        this.write(record, () => eventWrites([{ type: "call.started", callId, at }, ...opened]));
        // A tool that only reads may run again after a crash, so it does not wait for the disk.
        return this.#startsEarly(record) || recorder.committed();
      }
      case "in_review": {
        // A reviewed final tool's text is shown when a user releases it. Its item must not stay
        // open until then.
        const ended = items.reviewed(record.callId);
        this.write(record, () => [...eventWrites(ended), ...reviewRequested(record)]);
        return recorder.committed();
      }
      case "settled":
        this.#settled(change);
        // The parent of a sub-call uses its result, so the sub-call waits for the commit. The loop
        // itself waits when it starts calls, and at its end.
        return record.parentCallId === undefined || recorder.committed();
    }
  }

  /** Asks the approval adapter after the request is stored. */
  async request(
    pending: PendingRequest,
    call: ActiveCall,
    signal: AbortSignal,
  ): Promise<Answer | "later"> {
    const { executor, recorder } = this.#options;
    if (pending.kind === "output") return "later";
    this.questions.set(pending.id, call);
    await recorder.committed();
    const answer =
      pending.kind === "approval"
        ? await executor.ask(pending.approval, signal)
        : await executor.review(pending.request, signal);
    return answer.decision === "pending" ? "later" : answer;
  }

  onOutput(callId: string, output: CallOutputEvent): void {
    const { recorder, items } = this.#options;
    switch (output.type) {
      case "text":
        for (const event of items.write(callId, output.text)) recorder.appendEvent(event);
        return;
      case "progress":
        return recorder.appendEvent({ type: "call.progress", callId, progress: output.progress });
      case "event": {
        const { name, data } = output;
        return recorder.appendEvent({ type: "call.event", callId, name, data });
      }
    }
  }

  /** Stores a call's row with its events. Creates no events if nothing stores or reads them. */
  write(record: CallRecord, events: () => readonly JournalWrite[]): void {
    const { recorder } = this.#options;
    this.records.set(record.callId, record);
    if (recorder.isObserved) recorder.append([{ type: "call", call: record }, ...events()]);
  }

  #startsEarly({ toolId }: CallRecord): boolean {
    if (!this.#options.startsReadsEarly) return false;
    const { registry } = this.#options.executor.gate;
    const tool = toolId === undefined ? undefined : registry.tool(toolId)?.tool;
    return tool?.effects === "read" && mayRunAgain(tool);
  }

  #settled(change: Extract<CallChange, { readonly step: "settled" }>): void {
    const { executor, items, keepResults } = this.#options;
    const isNew = !this.records.has(change.record.callId);
    const { record, events } = items.settled(change.record);
    this.#options.onSettled?.(record);
    if (keepResults) this.results.set(record.callId, change.result);
    this.write(record, () => [
      ...(isNew ? proposalWrites(record, undefined, executor) : []),
      ...this.#answerWrites(record, change.answered),
      ...endWrites(record, change.result, events),
    ]);
  }

  #answerWrites(record: CallRecord, answered: GivenApproval | undefined): readonly JournalWrite[] {
    const { clock } = this.#options.executor.gate;
    return answered === undefined ? [] : answerWrites(record, answered, clock.now());
  }
}

/** Returns the event of a proposed call. */
export function proposedEvent(record: CallRecord, { gate }: ToolExecutor) {
  const {
    callId,
    name,
    owner,
    round,
    proposedAt: at,
    toolId,
    parentCallId,
    argumentsText,
    args,
    repairs,
    final,
    hidden,
  } = record;
  const registered = toolId === undefined ? undefined : gate.registry.tool(toolId);
  return {
    type: "call.proposed" as const,
    callId,
    name,
    owner,
    round,
    at,
    argumentsText,
    repairs,
    ...(toolId !== undefined && { toolId }),
    ...(registered !== undefined && { groupTitle: titleOf(registered.group) }),
    ...(parentCallId !== undefined && { parentCallId }),
    // A copy, so that listeners cannot change the checked arguments.
    ...(args !== undefined && { args: copyJson(args) }),
    ...(final !== undefined && { final }),
    ...(hidden !== undefined && { hidden }),
  };
}

/** The events of a proposed call, and of the approval that it waits for. */
export function proposalWrites(
  record: CallRecord,
  approval: ApprovalRequest | undefined,
  executor: ToolExecutor,
): readonly JournalWrite[] {
  const proposed = proposedEvent(record, executor);
  const { callId, owner } = record;
  if (owner === "client" && record.status === "waiting")
    return eventWrites([
      { ...proposed, args: proposed.args ?? {} },
      { type: "client_call.waiting", callId },
    ]);
  if (approval === undefined) return eventWrites([proposed]);
  // A copy, so that the digest is a value instead of a getter.
  const event: ChainEvent = { type: "approval.requested", callId, approval: { ...approval } };
  return eventWrites([proposed, event]);
}

/** Returns the event of an answered approval, and the grant that the answer created. */
export function answerWrites(
  { callId, decision, edited, args }: CallRecord,
  { approvalId, grant }: GivenApproval,
  at: number,
): readonly JournalWrite[] {
  const event: ChainEvent = {
    type: "approval.answered",
    callId,
    approvalId,
    at,
    decision: decision ?? { verdict: "allowed", by: "person" },
    ...(edited === true && args !== undefined && { args }),
  };
  const writes = eventWrites([event]);
  return grant === undefined ? writes : [...writes, { type: "grant", grant }];
}

/** Returns the event of a result that waits for a review, without any of the result. */
export function reviewRequested({ callId, review }: CallRecord): readonly JournalWrite[] {
  return review === undefined ? [] : eventWrites([{ type: "review.requested", callId, review }]);
}

/** Returns the event of a user's review of a result. */
function reviewAnswered({
  callId,
  review,
  reviewed,
  endedAt: at = 0,
}: CallRecord): readonly JournalWrite[] {
  if (review === undefined || reviewed === undefined) return [];
  const { id: reviewId } = review;
  return eventWrites([{ type: "review.answered", callId, reviewId, at, ...reviewed }]);
}

/** Returns the events of a call's end; `outputEvents` closes its output. */
export function endWrites(
  record: CallRecord,
  { status }: SettledToolResult,
  outputEvents: readonly ChainEvent[],
): readonly JournalWrite[] {
  const { callId, endedAt: at = 0, result } = record;
  const writes = [...reviewAnswered(record), ...eventWrites(outputEvents)];
  if (result !== undefined)
    writes.push({ type: "event", event: { type: "call.settled", callId, at, status, result } });
  return writes;
}

/** Returns events as writes to the journal. */
export function eventWrites(events: readonly ChainEvent[]): readonly JournalWrite[] {
  return events.map((event) => ({ type: "event", event }));
}

/** Returns the events of a call that ended in another run, or none if it did not end. */
export function settledElsewhereWrites(record: CallRecord): readonly JournalWrite[] {
  const { callId, approval, decision, startedAt, endedAt: at = 0, result } = record;
  const status = resultStatusOf[record.status];
  if (result === undefined || status === "pending") return [];
  const events: ChainEvent[] = [];
  if (approval !== undefined && decision !== undefined) {
    const approvalId = approval.id;
    events.push({ type: "approval.answered", callId, approvalId, at: startedAt ?? at, decision });
  }
  if (startedAt !== undefined) events.push({ type: "call.started", callId, at: startedAt });
  return [
    ...eventWrites(events),
    ...reviewAnswered(record),
    { type: "event", event: { type: "call.settled", callId, at, status, result } },
  ];
}
