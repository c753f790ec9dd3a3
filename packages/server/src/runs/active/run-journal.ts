import type {
  ChainEvent,
  CommitOutcome,
  Grant,
  Journal,
  JournalWrite,
  Message,
  VariableChange,
} from "@capstan/core";
import { type ChainResultRecord, errorMessage, type VariableType } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";
import {
  type PendingApproval,
  type RunJournalWrite,
  runStatusOf,
  type Store,
  type WriteOutcome,
  type StoredRequest,
} from "@capstan/store";

/**
 * For each kind of missing answer: with `inline` the run suspends and waits for it. Otherwise the
 * run is closed, and the next run takes over its turn.
 */
export type WaitPolicy = Pick<StoredRequest, "approvals" | "servers" | "toolOutputs">;

/** The variables that a run has changed. */
export interface ChangedVariables {
  /** Their types by name: `undefined` for a removed variable. */
  readonly types: Map<string, VariableType | undefined>;
  /** Whether the run has ended, and all its changes are in the list. */
  isComplete: boolean;
}

export interface RunJournalOptions {
  readonly store: Store;
  /** The store of grants that apply in every session. */
  readonly grants: Store;
  readonly run: { readonly id: string; readonly epoch: number; readonly owner: string };
  readonly waits: WaitPolicy;
  /**
   * Messages that the journal already has. The chain has the same objects and writes them again.
   */
  readonly written: readonly Message[];
  /** Gets the variables that the run changes. @default they are not listed */
  readonly changed?: ChangedVariables | undefined;
  /** Called after a grant has been stored. */
  readonly onGrant: (grant: Grant) => void;
  /**
   * Called with the new approval requests and their expiry times after they are stored, and when
   * the run suspends.
   */
  readonly onDeadline: (pending: readonly PendingApproval[]) => void;
  /** Called once, if a write is fenced because the run has been claimed again. */
  readonly onFenced: (reason: string) => void;
}

interface JournalEnd {
  /** Whether nothing is left to write: the end is committed, or the writes are fenced. */
  settled: boolean;
  /** Whether the run is suspended in the store. */
  suspended: boolean;
  /** Whether the answer arrived before the run suspended, so that the run is queued. */
  ready: boolean;
  /** Why a commit failed. */
  failure?: string;
}

/** A chain's journal in the store. Its writes are fenced as soon as the run is claimed again. */
export class RunJournal implements Journal {
  readonly #options: RunJournalOptions;
  readonly #written: ReadonlySet<Message>;
  /** The state of the chain's end, as of its last commit. */
  readonly end: JournalEnd = { settled: false, suspended: false, ready: false };

  constructor(options: RunJournalOptions) {
    this.#options = options;
    this.#written = new Set(options.written);
  }

  beforeNext(commitSaid: () => void): void {
    this.#options.store.beforeNext(commitSaid);
  }

  commit(all: readonly JournalWrite[]): CommitOutcome | Promise<CommitOutcome> {
    const { store, run, waits, onGrant } = this.#options;
    const writes: RunJournalWrite[] = [];
    const given: Grant[] = [];
    let result: ChainResultRecord | undefined;
    const pending: PendingApproval[] = [];
    for (const write of all) {
      if (!this.#isForeign(write)) writes.push(write);
      if (write.type === "grant") given.push(write.grant);
      if (write.type === "result") result = write.result;
      if (write.type === "event") pending.push(...requestedBy(write.event));
      if (write.type === "variable") this.#listChange(write.change);
    }
    if (writes.length === 0 && given.length === 0) return committed;
    const status = result === undefined ? undefined : getStoppedStatus(result, waits);
    const summary = { stops: result !== undefined, pending };
    // Submitted without waiting, so that commits stay in order.
    const journal = { type: "journal", runId: run.id, epoch: run.epoch, writes } as const;
    const writing = store.write([status === undefined ? journal : { ...journal, status }]);
    if (given.length === 0)
      return writing.then(([outcome]) => this.#applyOutcome(outcome, summary), this.#recordFailure);
    const grantWrites = given
      .filter((grant) => this.#belongsToGrantStore(grant))
      .map((grant) => this.#writeToGrantStore(grant));
    return Promise.all([writing, ...grantWrites])
      .then(([[outcome]]) => {
        const end = this.#applyOutcome(outcome, summary);
        if (end === committed) for (const grant of given) onGrant(grant);
        return end;
      })
      .catch(this.#recordFailure);
  }

  /** Whether the write belongs to another store or is already in the journal. */
  #isForeign(write: JournalWrite): boolean {
    if (write.type === "grant") return this.#belongsToGrantStore(write.grant);
    return write.type === "message" && this.#written.has(write.message);
  }

  #listChange(change: VariableChange): void {
    const { types } = this.#options.changed ?? {};
    if (change.type === "set") types?.set(change.variable.name, change.variable.type);
    else if (change.reason === "removed") types?.set(change.name, undefined);
  }

  #belongsToGrantStore(grant: Grant): boolean {
    const { grants, store } = this.#options;
    return grants !== store && grant.scope === "always";
  }

  #writeToGrantStore(grant: Grant): Promise<unknown> {
    const { grants, run } = this.#options;
    return grants.write([{ type: "create-grant", owner: run.owner, sessionId: null, grant }]);
  }

  #applyOutcome(outcome: WriteOutcome, { stops, pending }: CommitSummary): CommitOutcome {
    const wasOpen = !this.end.settled;
    this.end.settled ||= stops || outcome.status !== "committed";
    if (outcome.status === "committed") {
      // "queued" before the chain has stopped means that other nodes consider this node dead and
      // continue from the stored rows.
      this.end.ready = stops && outcome.runStatus === "queued";
      this.end.suspended = this.end.ready || (stops && outcome.runStatus === "requires_action");
      const { changed } = this.#options;
      if (changed !== undefined) changed.isComplete = stops && !this.end.suspended;
      if (this.end.suspended || pending.length > 0) this.#options.onDeadline(pending);
      return committed;
    }
    const reason = "reason" in outcome ? outcome.reason : "the run no longer exists";
    if (wasOpen) this.#options.onFenced(reason);
    return { status: "fenced", reason };
  }

  readonly #recordFailure = (thrown: unknown): never => {
    this.end.failure ??= errorMessage(thrown);
    throw thrown;
  };
}

const committed: CommitOutcome = { status: "committed" };

/**
 * Whether the chain stops with this commit, and the approvals and reviews that the commit requests.
 */
interface CommitSummary {
  readonly stops: boolean;
  readonly pending: readonly PendingApproval[];
}

function requestedBy(event: ChainEvent): readonly PendingApproval[] {
  if (event.type === "approval.requested") return [event.approval];
  return event.type === "review.requested" ? [event.review] : [];
}

/**
 * Returns the status of a run whose chain stopped. If only the client can continue the run, the run
 * is closed, and the run of the client's next request takes over the calls. The API cannot
 * represent a result in review, so its run is always suspended.
 */
function getStoppedStatus(
  result: ChainResultRecord,
  { approvals, servers, toolOutputs }: WaitPolicy,
): RunStatus {
  if (result.status !== "requires_action") return runStatusOf(result);
  const suspendsOn = { review: "inline", approval: approvals, client_call: toolOutputs } as const;
  const waits = result.waiting?.some(
    (one) =>
      suspendsOn[one.type] === "inline" ||
      (one.type === "approval" && isHosted(one.approval.toolId, servers)),
  );
  return waits === true ? "requires_action" : "completed";
}

/** The hosted types have no item for an approval request, so only users can answer it. */
function isHosted(toolId: string, servers: WaitPolicy["servers"]): boolean {
  return servers.some(
    ({ group, hosted, allowedTools }) =>
      hosted !== undefined &&
      allowedTools?.toolNames?.some((name) => `${group}.${name}` === toolId) === true,
  );
}
