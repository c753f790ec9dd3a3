import {
  type CallRecord,
  type ChainResultRecord,
  type CommitOutcome,
  errorMessage,
  type Grant,
  isSettled,
  type Journal,
  type JournalWrite,
  type Message,
} from "@capstan/core";
import type { RunStatus } from "../contract/run.ts";
import type { Store } from "../journal/store.ts";
import type { RunJournalWrite, WriteOutcome } from "../journal/store-write.ts";
import type { StoredRunRequest } from "./run-request.ts";
import { runStatusOf } from "./run-status.ts";

export interface RunJournal extends Journal {
  /** Nothing is left to write: where the chain stopped is written, or another has the run. */
  readonly settled: boolean;
  /** The store has it as a run that waits. */
  readonly parked: boolean;
  /** It parked, and what it waits for had come by then: it is queued. */
  readonly ready: boolean;
  /** Why the store did not take something. */
  readonly failure: string | undefined;
}

/** What a run waits for itself; what is deferred closes it, and a next one takes it over. */
export type Waits = Pick<StoredRunRequest, "approvals" | "toolOutputs">;

export interface RunJournalOptions {
  readonly store: Store;
  /** Where grants are kept that hold in every session. */
  readonly grants: Store;
  readonly run: { readonly id: string; readonly epoch: number; readonly owner: string };
  readonly waits: Waits;
  /** Messages that are in the journal already: the chain has the very same ones, and writes them, too. */
  readonly written: readonly Message[];
  /** Told of each grant once it is kept. */
  readonly onGrant: (grant: Grant) => void;
}

/** A chain's journal in the store: fenced as soon as another process claims the run. */
export function runJournal({ store, grants, run, ...options }: RunJournalOptions): RunJournal {
  const { id: runId, epoch, owner } = run;
  const written = new Set(options.written);
  /** The calls that have not ended, as they were given last. Where a commit fails, none follows. */
  const open = new Map<string, CallRecord>();
  let settled = false;
  let parked = false;
  let ready = false;
  let failure: string | undefined;

  function commit(all: readonly JournalWrite[]): CommitOutcome | Promise<CommitOutcome> {
    const writes: RunJournalWrite[] = [];
    const given: Grant[] = [];
    let result: ChainResultRecord | undefined;
    for (const write of all) {
      if (!isOthers(write)) writes.push(sinceGiven(write));
      if (write.type === "grant") given.push(write.grant);
      if (write.type === "result") result = write.result;
    }
    if (writes.length === 0 && given.length === 0) return committed;
    const status = result === undefined ? undefined : stoppedStatus(result, options.waits);
    const stops = result !== undefined;
    // Given at once, so that commits stay in their order.
    const journal = { type: "journal", runId, epoch, writes } as const;
    const writing = store.write([status === undefined ? journal : { ...journal, status }]);
    if (given.length === 0) return writing.then(([outcome]) => taken(outcome, stops), failed);
    const keeping = given.filter(isKeptElsewhere).map(keepElsewhere);
    return Promise.all([writing, ...keeping])
      .then(([[outcome]]) => {
        const end = taken(outcome, stops);
        if (end === committed) for (const grant of given) options.onGrant(grant);
        return end;
      })
      .catch(failed);
  }

  /** What is not the run's own, or in its journal already. */
  function isOthers(write: JournalWrite): boolean {
    if (write.type === "grant") return isKeptElsewhere(write.grant);
    return write.type === "message" && written.has(write.message);
  }

  function sinceGiven(write: JournalWrite): RunJournalWrite {
    if (write.type !== "call") return write;
    const { call } = write;
    const before = open.get(call.callId);
    if (isSettled(call.status)) open.delete(call.callId);
    else open.set(call.callId, call);
    return before === undefined ? write : { type: "call", call, before };
  }

  function isKeptElsewhere(grant: Grant): boolean {
    return grants !== store && grant.scope === "always";
  }

  function keepElsewhere(grant: Grant): Promise<unknown> {
    return grants.write([{ type: "create-grant", owner, sessionId: null, grant }]);
  }

  function taken(outcome: WriteOutcome, stops: boolean): CommitOutcome {
    settled ||= stops || outcome.status !== "committed";
    if (outcome.status === "committed") {
      // Before it stops, "queued" says that others hold this node for dead: they go on from what is stored.
      ready = stops && outcome.runStatus === "queued";
      parked = ready || (stops && outcome.runStatus === "requires_action");
      return committed;
    }
    const reason = "reason" in outcome ? outcome.reason : "the run is not there any more";
    return { status: "fenced", reason };
  }

  function failed(thrown: unknown): never {
    failure ??= errorMessage(thrown);
    throw thrown;
  }

  return {
    get settled() {
      return settled;
    },
    get parked() {
      return parked;
    },
    get ready() {
      return ready;
    },
    get failure() {
      return failure;
    },
    beforeNext: (commitSaid) => store.beforeNext(commitSaid),
    commit,
  };
}

const committed: CommitOutcome = { status: "committed" };

/**
 * Where only the client can act, waiting closes the run: its next request's run takes the calls
 * over. A result in review has no form on the wire: its run waits, whatever the client said.
 */
function stoppedStatus(result: ChainResultRecord, { approvals, toolOutputs }: Waits): RunStatus {
  if (result.status !== "requires_action") return runStatusOf(result);
  const parks = { review: "inline", approval: approvals, client_call: toolOutputs } as const;
  const waits = result.waiting?.some(({ type }) => parks[type] === "inline");
  return waits === true ? "requires_action" : "completed";
}
