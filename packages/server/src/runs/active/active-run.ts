import type {
  ApprovalDecision,
  ChainState,
  Clock,
  GrantBook,
  ReviewDecision,
  ToolChainResult,
  ToolChainRun,
  VariableSystem,
} from "@capstan/core";
import { type ClientOutput, errorMessage } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ExecutionApproval,
  ResultApproval,
  RunRecord,
  Store,
} from "@capstan/store";
import type { OwnedRun } from "./close-run.ts";
import type { RunJournal } from "./run-journal.ts";

/*
 * An active run is a run that this process has claimed. The registry holds one `ActiveRun` per claimed
 * run, from the claim until the run ends, suspends, is fenced or is handed back. The claim raised the
 * run's epoch: every write of this process has that epoch, and the store refuses ("fences") it once
 * another process has claimed the run, or this one has claimed it again.
 *
 * ```text
 *                 claimed                       the chain ends, its last commit is stored
 *                    |      +---------+                                       +------+
 *                    +----->|restoring|---> running ------------------------->| over |
 *                           +---------+        |                              +------+
 *                                |             | its last commit fails           ^
 *                                | fails       v                                 |
 *                                +--------> closing -----------------------------+
 *                                              |  ^   the store has its end
 *                                              +--+ tried again, in a new epoch
 * ```
 *
 * A run that is detached is over at once: it was fenced, it was claimed again, or the server stops.
 *
 * restoring  The registry reads the run's state (`restore.ts`) or takes it from `WarmRuns`. It writes
 *            an end for each incomplete item, `model.restarted`, and answers that came with the request.
 *            kill -9: the store has the run in progress, and the next server, or another node, claims
 *            it as an orphan. Each such claim adds the event `run.orphaned`, before it reads anything;
 *            after too many of them without progress the run is closed.
 * running    The chain writes, through its `RunJournal`, in the order of its events. It waits for the
 *            commit before it acts: before a tool runs, a question is asked, or it stops. Others write
 *            too, each in a commit of its own: answers and outputs (`answers.ts`), edits of variables,
 *            heartbeats. They store first and tell the chain afterwards.
 *            kill -9: committed data is kept, and the run is claimed as above. If the model's answer
 *            was incomplete, its round restarts. Open calls continue as the table of core's
 *            `call/driver.ts` says. An answer that was stored and not delivered is read when the run
 *            is restored.
 * closing    The chain is gone, and the store does not have its end: a commit failed, or the run could
 *            not be restored. The store accepts nothing more in an
 * epoch in which a commit failed, so the registry claims the run again. It ends the run from its
 * rows (`close-run.ts`), and tries again
 *            with growing pauses until the store has the end. It has no slot.
 *            kill -9: the next server claims the run as an orphan. It resumes the run if the run can
 *            be restored, and closes it otherwise.
 * over       It is not in the registry. Suspended and ended runs are rows in the store; `WarmRuns` may
 *            have copies. kill -9 loses only those.
 *
 * Commands of a run are done one at a time, in the order in which they came, in its mailbox: claiming
 * and restoring it, closing it, edits of its variables, and what `send` delivers. A run at rest has a
 * mailbox, too, while there are commands: a claim and an edit at the same moment are ordered.
 * `cancel` and `detach` are not commands, so they never wait for the mailbox. A run that is cancelled
 * while it is restored stops as soon as its chain exists.
 */

/**
 * - `restoring`: read from the store - `running`: its chain executes - `closing`: the store lacks
 * its end
 */
type RunPhase = "restoring" | "running" | "closing" | "over";

/** The state that a chain works with. */
export interface RunSession {
  /** The record at its claim. */
  readonly run: RunRecord;
  readonly grants: GrantBook;
  readonly variables: VariableSystem;
  readonly journal: RunJournal;
}

/** A message to a running chain. Answers and outputs are stored before they are sent. */
type RunCommand =
  /** An approval or a review was answered, or expired. */
  | { readonly type: "answer"; readonly approval: ApprovalRecord }
  /** A client submitted results of its tools. */
  | { readonly type: "outputs"; readonly outputs: readonly ClientOutput[] }
  /** Another node may have written: read what it stored. Requests that wait together are one. */
  | { readonly type: "refresh" }
  /** A reader wants an event that shows that the run is alive. Many readers share one. */
  | { readonly type: "heartbeat" };

type CommandOutcome =
  | { readonly status: "done" }
  /** The run is not running. No message is lost: stored data is read when the run is restored. */
  | { readonly status: "refused"; readonly reason: string };

/** How a chain stopped. */
export type RunEnd =
  /** The end is committed. `state` is set if the run suspended; `isQueued` is true if the answer was stored before that. */
  | {
      readonly status: "stored";
      readonly isWaiting: boolean;
      readonly isQueued: boolean;
      readonly state: ChainState | undefined;
    }
  /** Another node owns the run now. */
  | { readonly status: "fenced" }
  /** The store does not have the end. */
  | { readonly status: "lost"; readonly reason: string };

interface ActiveRunOptions {
  readonly claimed: OwnedRun;
  readonly store: Store;
  /** Ms without an event after which readers ask for a heartbeat. */
  readonly heartbeatMs: number;
  readonly clock: Clock;
  /** Runs a command in the run's mailbox. */
  readonly post: <T>(command: () => Promise<T>) => Promise<T>;
  /** Called when the chain has stopped, unless the run was detached before. */
  readonly onEnd: (run: ActiveRun, session: RunSession, end: RunEnd) => void;
  readonly log: (line: string) => void;
}

/** The mailboxes of runs: one command of a run at a time, in the order in which they came. */
export class Mailboxes {
  /** The last command of each run that has running or waiting commands. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** The number of runs with a command that runs or waits. */
  get size(): number {
    return this.#last.size;
  }

  has(runId: string): boolean {
    return this.#last.has(runId);
  }

  /**
   * Runs a command after all earlier commands of its run. A command must not wait for a later one
   * of its run.
   */
  post<T>(runId: string, command: () => Promise<T>): Promise<T> {
    const before = this.#last.get(runId) ?? Promise.resolve();
    const mine = before.then(command);
    // The sender handles a failed command; the next command is not affected.
    const last = mine.catch(() => {});
    this.#last.set(runId, last);
    void last.then(() => {
      if (this.#last.get(runId) === last) this.#last.delete(runId);
    });
    return mine;
  }
}

/** A run that this process has claimed. */
export class ActiveRun implements OwnedRun {
  readonly id: string;
  readonly owner: string;
  readonly store: Store;
  /** Resolves when the run leaves the phases `restoring` and `running`. */
  readonly stopped: Promise<void>;
  readonly #options: ActiveRunOptions;
  readonly #stop: () => void;
  #epoch: number;
  #phase: RunPhase = "restoring";
  #session: RunSession | undefined;
  #chain: ToolChainRun | undefined;
  #cancelled: string | undefined;
  #refresh: Promise<CommandOutcome> | undefined;
  /** Time of its last heartbeat, from `Clock.monotonic`. */
  #heartbeatAt = -Infinity;

  constructor(options: ActiveRunOptions) {
    const { id, owner, epoch } = options.claimed;
    this.#options = options;
    this.id = id;
    this.owner = owner;
    this.store = options.store;
    this.#epoch = epoch;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stopped = promise;
    this.#stop = resolve;
  }

  /** The epoch of its last claim. */
  get epoch(): number {
    return this.#epoch;
  }

  get phase(): RunPhase {
    return this.#phase;
  }

  /** Set while it runs. */
  get session(): RunSession | undefined {
    return this.#session;
  }

  /** Starts its chain: it is running from now on. Does nothing if it was detached as it was restored. */
  start(session: RunSession, startChain: () => ToolChainRun): void {
    if (this.#phase !== "restoring") return;
    const chain = startChain();
    this.#phase = "running";
    this.#session = session;
    this.#chain = chain;
    if (this.#cancelled !== undefined) chain.abort(this.#cancelled);
    void chain.result.then((result) => {
      // A detached chain ends after its run has been claimed again.
      if (this.#chain !== chain) return;
      const end = endOf(result, session.journal);
      const { error } = result;
      if (error?.code === "journal_failed" || error?.code === "internal")
        this.#options.log(`Run ${this.id} failed: ${error.message}`);
      this.#leave(end.status === "lost" ? "closing" : "over");
      this.#options.onEnd(this, session, end);
    });
  }

  /** Delivers a command after the earlier ones. */
  send(command: RunCommand): Promise<CommandOutcome> {
    if (command.type !== "refresh") return this.#options.post(() => this.#do(command));
    this.#refresh ??= this.#options.post(() => {
      // A later command may concern rows that this one has already read.
      this.#refresh = undefined;
      return this.#do(command);
    });
    return this.#refresh;
  }

  /** Stops its chain, or prevents its start. Resolves when it has ended. */
  cancel(reason: string): Promise<void> {
    this.#cancelled ??= reason;
    this.#chain?.abort(reason);
    return this.stopped;
  }

  /** Stops one call; its turn continues. Returns false if the call is not open. */
  cancelCall(callId: string): boolean {
    return this.#chain?.cancelCall(callId) ?? false;
  }

  /**
   * Leaves the run to its new owner: this process writes nothing more of it, and its chain stops.
   */
  detach(reason: string): void {
    const chain = this.#chain;
    this.#leave("over");
    chain?.detach(reason);
  }

  /** Changes its phase to `closing`. @param epoch in which it was claimed for that */
  close(epoch = this.#epoch): void {
    this.#epoch = epoch;
    this.#leave("closing");
  }

  #leave(phase: "closing" | "over"): void {
    if (this.#phase === "over") return;
    this.#phase = phase;
    this.#session = undefined;
    this.#chain = undefined;
    this.#stop();
  }

  async #do(command: RunCommand): Promise<CommandOutcome> {
    const chain = this.#chain;
    if (chain === undefined)
      return { status: "refused", reason: `The run is ${this.#phase}, and not running.` };
    try {
      if (command.type === "answer") deliverAnswer(chain, command.approval);
      else if (command.type === "outputs")
        for (const output of command.outputs) chain.submitOutput(output);
      else if (command.type === "heartbeat") await this.#writeHeartbeat();
      else await this.#deliverStored(chain);
      return { status: "done" };
    } catch (thrown) {
      const reason = `Run ${this.id}: the command "${command.type}" failed: ${errorMessage(thrown)}`;
      this.#options.log(reason);
      return { status: "refused", reason };
    }
  }

  /** Writes an event with the next sequence number. */
  async #writeHeartbeat(): Promise<void> {
    const { clock, heartbeatMs } = this.#options;
    const now = clock.monotonic();
    if (now - this.#heartbeatAt < heartbeatMs / 2) return;
    this.#heartbeatAt = now;
    const { id: runId, epoch, store } = this;
    const event = { type: "run.heartbeat", at: clock.now() } as const;
    const writes = [{ type: "event", event }] as const;
    await store.write([{ type: "journal", runId, epoch, writes }]);
  }

  /** Delivers the answers and outputs in the store to the chain, which ignores those that it does not wait for. */
  async #deliverStored(chain: ToolChainRun): Promise<void> {
    const { store, owner, id: runId } = this;
    const run = await store.getRun({ owner, id: runId });
    // Its writes are fenced; it should not run more calls either.
    if (run?.epoch !== this.#epoch) return chain.detach("another node has this run now");
    const { data } = await store.listApprovals({ owner, runId, limit: 1_000 });
    for (const approval of data) if (!("isDamaged" in approval)) deliverAnswer(chain, approval);
    for (const output of await store.listOutputs({ owner, runId })) chain.submitOutput(output);
  }
}

function endOf({ error, waiting, state }: ToolChainResult, journal: RunJournal): RunEnd {
  if (!journal.end.settled) {
    if (error?.code === "detached") return { status: "fenced" };
    return { status: "lost", reason: journal.end.failure ?? "its end could not be written" };
  }
  const suspended = journal.end.suspended ? state : undefined;
  const stored = { isWaiting: waiting.length > 0, isQueued: journal.end.ready };
  return { status: "stored", ...stored, state: suspended };
}

/** Gives an active chain the answer of an approval. A chain that does not wait for it ignores it. */
export function deliverAnswer(chain: ToolChainRun, approval: ApprovalRecord): void {
  if (approval.status === "pending") return;
  if (approval.kind === "result") chain.answerReview(approval.id, reviewDecisionOf(approval));
  else chain.answer(approval.id, decisionOf(approval));
}

/** Returns the approval's decision: one that expired or was cancelled is a rejection. */
export function decisionOf({ status, answer }: ExecutionApproval): ApprovalDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody answered in time" : "the question was cancelled";
  return { decision: "refuse", reason, by: "system" };
}

/** Returns the decision on a result: without a reviewer's answer it is withheld. */
export function reviewDecisionOf({ status, answer }: ResultApproval): ReviewDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody reviewed it in time" : "its review was cancelled";
  return { decision: "withhold", reason, by: "system" };
}
