import type {
  ApprovalDecision,
  CallRecord,
  ChainEvent,
  Grant,
  Message,
  VariableChange,
} from "@capstan/core";
import { errorMessage } from "@capstan/core/base";
import type { ChainResultRecord } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";
import type { ApprovalStatus, UnnumberedEvent } from "../records/records.ts";
import { runStatusOf } from "../records/run-status.ts";
import type { Journal, RunJournalWrite, StoreWrite } from "../records/store-writes.ts";
import { encodeCalls, isOutcomeUnknown, isUnsettled } from "./call-records.ts";
import { type EncodedResult, encodeResult } from "../blobs/split-inputs.ts";
import { encodeEvents, type EncodedEvents } from "./event-rows.ts";
import { type LongParts, type ToJson, toJsonWith } from "./long-parts.ts";
import { encodeChanges, type EncodedChanges } from "./variable-changes.ts";

/**
 * A commit of a run in the form of its rows: texts and numbers. The caller's thread creates it and
 * posts it to the writer's thread by structured clone. Large values are JSON texts; the writer's
 * decisions need the other fields.
 */
export interface RunCommit {
  readonly type: "commit";
  readonly runId: string;
  readonly epoch: number;
  /** The run's next status, if it changes. */
  readonly status?: RunStatus;
  /** The commit contains only heartbeats; later writes do not depend on it. */
  readonly isHeartbeat?: true;
  readonly events: EncodedEvents;
  /** `Message`s as a JSON array; absent if there are none. */
  readonly messages?: string;
  /** `StoredCall`s as a JSON array, without results in quarantine; absent if there are none. */
  readonly calls?: string;
  readonly result?: string;
  /** The long texts of the result, which are read separately from the result. */
  readonly replay?: string;
  /** The run's own tokens, if its result states some. */
  readonly usage?: RunTokens;
  readonly variables: readonly EncodedChanges[];
  readonly grants: readonly Grant[];
  readonly acts: readonly JournalAct[];
}

/** The tokens that a run's own rounds used. */
export interface RunTokens {
  readonly input: number;
  /** The part of `input` that the provider had cached. */
  readonly cached: number;
  readonly output: number;
}

/** A commit that only adds to one unfinished item: the most frequent and the smallest kind. */
export interface DeltaCommit {
  readonly type: "deltas";
  readonly runId: string;
  readonly epoch: number;
  readonly itemId: string;
  readonly deltas: readonly string[];
}

/** A change that a commit makes outside of its own rows. */
export type JournalAct =
  | {
      readonly type: "asked";
      readonly kind: "execution" | "result";
      readonly id: string;
      readonly callId: string;
      readonly createdAt: number;
      readonly expiresAt: number;
      /** As JSON. */
      readonly request: string;
    }
  | {
      readonly type: "answered";
      /** The approval's id. */
      readonly id: string;
      readonly status: ApprovalStatus;
      /** As JSON. */
      readonly answer: string;
      readonly at: number;
    }
  | {
      readonly type: "quarantine";
      /** The review's id. */
      readonly id: string;
      /** The result as JSON. */
      readonly data: string;
    }
  /** A client or a user can answer the call by its id. */
  | { readonly type: "answerable"; readonly callId: string; readonly by: AnswerableBy }
  /** The call has ended and accepts no more answers. */
  | {
      readonly type: "settled";
      /** The client of a client's own call. */
      readonly client?: string;
      readonly approval?: string;
      readonly review?: string;
    };

/**
 * `client`: the call waits for its client's output. `person`: its outcome is unknown, and a user
 * can report it.
 */
export type AnswerableBy = "client" | "person";

type EditVariables = Extract<StoreWrite, { type: "edit-variables" }>;

/** A change of variables from outside the loop. */
export interface EncodedEdit extends Omit<EditVariables, "changes"> {
  readonly changes: readonly EncodedChanges[];
}

/** A write in the writer's form. */
export type EncodedWrite =
  | Exclude<StoreWrite, Journal | EditVariables>
  | EncodedEdit
  | RunCommit
  | DeltaCommit;

/** One call of `Store.write`, as the caller makes it. */
export interface WriteRequest {
  /** When the call was made, in ms since the epoch. */
  readonly at: number;
  readonly writes: readonly StoreWrite[];
}

/** The same call in the writer's form. */
export interface EncodedRequest {
  readonly at: number;
  readonly writes: readonly EncodedWrite[];
  /** Why the request cannot be encoded: none of it is written. */
  readonly encodeError?: string;
}

/**
 * Returns whether a write belongs to a run's journal. If such a write is lost, later writes of the
 * run must also fail.
 */
export function isCommit(write: EncodedWrite): write is RunCommit | DeltaCommit {
  return write.type === "commit" || write.type === "deltas";
}

/** The open calls of a run, as they were last written in this epoch. */
interface OpenCalls {
  readonly epoch: number;
  readonly calls: Map<string, CallRecord>;
}

/**
 * Encodes requests in the order in which they are written. It caches the last record of each open
 * call of a run and encodes only the changes of a call.
 */
export class CommitEncoder {
  readonly #runs = new Map<string, OpenCalls>();

  /**
   * Encodes a request. If it cannot be encoded as JSON, only this request and the later commits of
   * its run fail.
   *
   * @param long long parts that are already encoded. @default none
   */
  encode({ at, writes }: WriteRequest, long?: LongParts): EncodedRequest {
    try {
      return { at, writes: writes.map((write) => this.#encodeWrite(write, long)) };
    } catch (thrown) {
      return lostRequest({ at, writes }, thrown);
    }
  }

  /**
   * Evicts the calls of a run, because its last write was not stored or another process owns the
   * run. From now on its calls are stored whole.
   */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  #encodeWrite(write: StoreWrite, long: LongParts | undefined): EncodedWrite {
    if (write.type === "set-status") this.forget(write.runId);
    if (write.type === "edit-variables")
      return { ...write, changes: encodeChanges(write.changes, long) };
    if (write.type !== "journal") return write;
    return encodeDeltas(write) ?? this.#encodeCommit(write, long);
  }

  #encodeCommit(journal: Journal, long: LongParts | undefined): RunCommit {
    const { runId, epoch } = journal;
    const known = this.#runs.get(runId);
    const calls = known?.epoch === epoch ? known.calls : new Map<string, CallRecord>();
    const commit = encodeCommit(journal, calls, long);
    // A stopped run resumes in another epoch.
    if (commit.status !== undefined || calls.size === 0) this.#runs.delete(runId);
    else if (known?.calls !== calls) this.#runs.set(runId, { epoch, calls });
    return commit;
  }
}

/**
 * Returns the commits that are lost because a request fails before it is written. The writer needs
 * them.
 */
export function lostRequest({ at, writes }: WriteRequest, thrown: unknown): EncodedRequest {
  const lost = writes.flatMap((write) => {
    if (write.type !== "journal") return [];
    const empty = encodeCommit({ ...write, writes: [] }, new Map());
    const { isHeartbeat: _none, ...commit } = empty;
    return {
      ...commit,
      ...(containsOnlyHeartbeats(write.writes) && { isHeartbeat: true as const }),
    };
  });
  return { at, writes: lost, encodeError: errorMessage(thrown) };
}

/**
 * @returns undefined if the journal contains anything else
 */
function encodeDeltas({ runId, epoch, status, writes }: Journal): DeltaCommit | undefined {
  const itemId = deltaOf(writes[0])?.itemId;
  if (itemId === undefined || status !== undefined) return undefined;
  const deltas: string[] = [];
  for (const write of writes) {
    const event = deltaOf(write);
    if (event?.itemId !== itemId) return undefined;
    deltas.push(event.delta);
  }
  return { type: "deltas", runId, epoch, itemId, deltas };
}

function deltaOf(write: RunJournalWrite | undefined) {
  return write?.type === "event" && write.event.type === "item.delta" ? write.event : undefined;
}

/**
 * Encodes a journal as a commit.
 *
 * @param open the open calls; updated to those after the commit
 * @throws TypeError if a value is not JSON
 */
function encodeCommit(
  { runId, epoch, status, writes }: Journal,
  open: Map<string, CallRecord>,
  long?: LongParts,
): RunCommit {
  const toJson = toJsonWith(long);
  const events: UnnumberedEvent[] = [];
  const messages: Message[] = [];
  const changes: VariableChange[] = [];
  const grants: Grant[] = [];
  const acts: JournalAct[] = [];
  /** Each call as it is at the end of the commit. */
  const changed = new Map<string, CallRecord>();
  let result: EncodedResult | undefined;
  let usage: RunTokens | undefined;
  let next = status;
  for (const write of writes) {
    switch (write.type) {
      case "event":
        events.push(write.event);
        addApprovalAct(write.event, { acts, toJson });
        break;
      case "message":
        messages.push(write.message);
        break;
      case "call": {
        const { callId } = write.call;
        addCallActs(write.call, { isNew: !changed.has(callId) && !open.has(callId), acts, toJson });
        changed.set(callId, write.call);
        break;
      }
      case "variable":
        changes.push(write.change);
        break;
      case "grant":
        grants.push(write.grant);
        break;
      case "result":
        result = encodeResult(write.result, toJson);
        usage = ownTokens(write.result);
        next ??= runStatusOf(write.result);
    }
  }
  const calls = encodeCalls(changed, open, toJson);
  for (const [callId, call] of changed) {
    if (isUnsettled(call.status)) open.set(callId, call);
    else open.delete(callId);
  }
  return {
    type: "commit",
    runId,
    epoch,
    ...(next !== undefined && { status: next }),
    ...(containsOnlyHeartbeats(writes) && { isHeartbeat: true }),
    events: encodeEvents(events, toJson),
    ...(messages.length > 0 && { messages: toJson(messages) }),
    ...(calls !== undefined && { calls }),
    ...result,
    ...(usage !== undefined && { usage }),
    variables: encodeChanges(changes, long),
    grants,
    acts,
  };
}

/** Returns the tokens of a result without those of a turn that it took over, if there are any. */
function ownTokens({ usage, inheritedUsage }: ChainResultRecord): RunTokens | undefined {
  const count = (name: "inputTokens" | "cachedInputTokens" | "outputTokens") =>
    Math.max(0, Math.round((usage[name] ?? 0) - (inheritedUsage?.[name] ?? 0)));
  const input = count("inputTokens");
  const output = count("outputTokens");
  if (input + output === 0) return undefined;
  return { input, cached: Math.min(input, count("cachedInputTokens")), output };
}

/**
 * Returns whether a journal contains only heartbeats. The service adds heartbeats to the chain's
 * writes, and no later write depends on them.
 */
function containsOnlyHeartbeats(writes: readonly RunJournalWrite[]): boolean {
  return writes.every((write) => write.type === "event" && write.event.type === "run.heartbeat");
}

function addApprovalAct(
  event: UnnumberedEvent,
  { acts, toJson }: { readonly acts: JournalAct[]; readonly toJson: ToJson },
): void {
  switch (event.type) {
    case "approval.requested":
      acts.push(askedBy("execution", event.approval, toJson));
      break;
    case "review.requested":
      acts.push(askedBy("result", event.review, toJson));
      break;
    case "approval.answered": {
      const { approvalId: id, at, decision } = event;
      const answer = toJson(answerOf(event));
      acts.push({ type: "answered", id, status: decision.verdict, answer, at });
      break;
    }
    case "review.answered": {
      const { reviewId: id, at, outcome, by, reason } = event;
      const answer = JSON.stringify({ outcome, by, reason });
      // A review that the system answered is stored as cancelled.
      const status = by === "person" ? outcome : "cancelled";
      acts.push({ type: "answered", id, status, answer, at });
      break;
    }
    default:
  }
}

function answerOf({
  decision: { verdict, reason },
  args,
}: Extract<ChainEvent, { type: "approval.answered" }>): ApprovalDecision {
  return verdict === "allowed"
    ? { decision: "allow", ...(args !== undefined && { arguments: args }) }
    : { decision: "refuse", ...(reason !== undefined && { reason }) };
}

function askedBy(
  kind: "execution" | "result",
  request: {
    readonly id: string;
    readonly callId: string;
    readonly createdAt: number;
    readonly expiresAt: number;
  },
  toJson: ToJson,
): JournalAct {
  const { id, callId, createdAt, expiresAt } = request;
  return {
    type: "asked",
    kind,
    id,
    callId,
    createdAt,
    expiresAt,
    request: toJson(request),
  };
}

function addCallActs(
  call: CallRecord,
  {
    isNew,
    acts,
    toJson,
  }: { readonly isNew: boolean; readonly acts: JournalAct[]; readonly toJson: ToJson },
): void {
  const { callId, owner, status, review, quarantine } = call;
  // A call that has started was approved.
  const approval = call.startedAt === undefined ? call.approval : undefined;
  if (review !== undefined && quarantine !== undefined)
    acts.push({ type: "quarantine", id: review.id, data: toJson(quarantine) });
  const isClient = owner === "client";
  if (isClient && isNew) acts.push({ type: "answerable", callId, by: "client" });
  if (isOutcomeUnknown(call)) acts.push({ type: "answerable", callId, by: "person" });
  if (!isUnsettled(status) && (isClient || approval !== undefined || review !== undefined))
    acts.push({
      type: "settled",
      ...(isClient && { client: callId }),
      // A stopped call needs no answer.
      ...(approval !== undefined && { approval: approval.id }),
      ...(review !== undefined && { review: review.id }),
    });
}
