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
 * run's epoch: every write of this process has that epoch, and the store rejects ("fences") it once
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
 * A run that is detached moves to `over` at once: it was fenced, it was claimed again, or the
 * server stops.
 *
 * restoring  The registry reads the run's state (`restore.ts`) or takes it from `WarmRuns`. It writes
 *            an end for each incomplete item, `model.restarted`, and answers that came with the request.
 *            kill -9: the store has the run in progress, and the next server, or another node, claims
 *            it as an orphan. Each such claim adds the event `run.orphaned` before it reads the run.
 *            After too many of these events without progress, the run is closed.
 * running    The chain writes its events in order through its `RunJournal`. It waits for the commit
 *            before it runs a tool, requests an approval or stops. Other code commits separately:
 *            answers and outputs (`answers.ts`), edits of variables, heartbeats. It writes to the
 *            store first and notifies the chain afterwards.
 *            kill -9: committed data is not lost, and the run is claimed as above. If the model's
 *            answer was incomplete, its round restarts. The table in core's `call/driver.ts` says how
 *            open calls continue. If an answer was stored but not delivered, restoring the run
 *            reads it.
 * closing    The chain is gone, and its end is not stored: a commit failed, or the run could
 *            not be restored. The store rejects all further writes in an epoch in which a commit
 *            failed, so the registry claims the run again. It ends the run from its rows
 *            (`close-run.ts`), and retries with growing pauses until its end is stored. The run
 *            has no slot.
 *            kill -9: the next server claims the run as an orphan. It resumes the run if the run can
 *            be restored, and closes it otherwise.
 * over       The run is not in the registry. Suspended and ended runs are rows in the store;
 *            `WarmRuns` may have copies. kill -9 loses only those copies.
 *
 * Each run has a mailbox, which executes the run's commands one at a time, in the order of arrival:
 * claiming and restoring it, closing it, edits of its variables, and the commands of `send`. A run
 * that is not active also has a mailbox while it has commands, so that a claim and an edit at the
 * same moment are ordered. `cancel` and `detach` are not commands, so they never wait for the
 * mailbox. A run that is cancelled while it is restored stops as soon as its chain exists.
 */

/**
 * - `restoring`: the registry reads the run from the store
 * - `running`: its chain executes
 * - `closing`: its end is not stored yet
 * - `over`: the run is not in the registry
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
  /**
   * Another node may have written to the store: read the run's rows again. Waiting refreshes are
   * merged.
   */
  | { readonly type: "refresh" }
  /** A reader asks for an event that shows that the run is alive. All readers share one event. */
  | { readonly type: "heartbeat" };

type CommandOutcome =
  | { readonly status: "done" }
  /** The run is not running. No message is lost: stored data is read when the run is restored. */
  | { readonly status: "refused"; readonly reason: string };

/** How a chain stopped. */
export type RunEnd =
  /**
   * The end is committed. `state` is set if the run suspended; `isQueued` is true if the answer was
   * stored before the run suspended.
   */
  | {
      readonly status: "stored";
      readonly isWaiting: boolean;
      readonly isQueued: boolean;
      readonly state: ChainState | undefined;
    }
  /** Another node owns the run now. */
  | { readonly status: "fenced" }
  /** The end is not stored. */
  | { readonly status: "lost"; readonly reason: string };

interface ActiveRunOptions {
  readonly claimed: OwnedRun;
  readonly store: Store;
  /** Ms without an event after which readers ask for a heartbeat. */
  readonly heartbeatMs: number;
  readonly clock: Clock;
  /** Executes a command in the run's mailbox. */
  readonly post: <T>(command: () => Promise<T>) => Promise<T>;
  /** Called when the chain has stopped, unless the run was detached first. */
  readonly onEnd: (run: ActiveRun, session: RunSession, end: RunEnd) => void;
  readonly log: (line: string) => void;
}

/**
 * The mailboxes of all runs. A mailbox executes its run's commands one at a time, in order of
 * arrival.
 */
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
   * Executes a command after all earlier commands of its run. A command must not wait for a later
   * command of the same run, because that is a deadlock.
   */
  post<T>(runId: string, command: () => Promise<T>): Promise<T> {
    const before = this.#last.get(runId) ?? Promise.resolve();
    const mine = before.then(command);
    // The sender handles the error of a failed command; the next command runs anyway.
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
  #onCancel: () => void = () => {};
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

  /** Set in the phase `running` only. */
  get session(): RunSession | undefined {
    return this.#session;
  }

  /**
   * Starts the chain and changes the phase to `running`. Does nothing if the run was detached while
   * it was restored.
   */
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
      const end = toRunEnd(result, session.journal);
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

  /** The reason for which the run was cancelled before its chain started. */
  get cancelled(): string | undefined {
    return this.#cancelled;
  }

  /** Sets the listener for a cancellation while the run is restored. */
  setCancelListener(listener: () => void): void {
    this.#onCancel = listener;
  }

  /** Stops the run's chain, or prevents its start. Resolves when the chain has ended. */
  cancel(reason: string): Promise<void> {
    this.#cancelled ??= reason;
    this.#chain?.abort(reason);
    this.#onCancel();
    return this.stopped;
  }

  /** Stops one call; its turn continues. Returns false if the call is not open. */
  cancelCall(callId: string): boolean {
    return this.#chain?.cancelCall(callId) ?? false;
  }

  /**
   * Stops the chain and every write of this process to the run, which has a new owner.
   */
  detach(reason: string): void {
    const chain = this.#chain;
    this.#leave("over");
    chain?.detach(reason);
  }

  /**
   * Changes its phase to `closing`.
   *
   * @param epoch the epoch of the claim under which the run is closed
   */
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
      return { status: "refused", reason: `The run is not running (phase: ${this.#phase}).` };
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

  /** Writes a heartbeat event, unless the last one is recent. */
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

  /**
   * Delivers the stored answers and outputs to the chain. The chain ignores the ones that it does
   * not wait for.
   */
  async #deliverStored(chain: ToolChainRun): Promise<void> {
    const { store, owner, id: runId } = this;
    const run = await store.getRun({ owner, id: runId });
    // The chain's writes are fenced already; detach it so that it runs no more calls.
    if (run?.epoch !== this.#epoch) return chain.detach("another node owns this run now");
    const { data } = await store.listApprovals({ owner, runId, limit: 1_000 });
    for (const approval of data) if (!("isCorrupt" in approval)) deliverAnswer(chain, approval);
    for (const output of await store.listOutputs({ owner, runId })) chain.submitOutput(output);
  }
}

function toRunEnd({ error, waiting, state }: ToolChainResult, journal: RunJournal): RunEnd {
  if (!journal.end.settled) {
    if (error?.code === "detached") return { status: "fenced" };
    return { status: "lost", reason: journal.end.failure ?? "its end could not be written" };
  }
  const suspended = journal.end.suspended ? state : undefined;
  const stored = { isWaiting: waiting.length > 0, isQueued: journal.end.ready };
  return { status: "stored", ...stored, state: suspended };
}

/**
 * Delivers an approval's answer to an active chain. The chain ignores it if it does not wait for
 * it.
 */
export function deliverAnswer(chain: ToolChainRun, approval: ApprovalRecord): void {
  if (approval.status === "pending") return;
  if (approval.kind === "result") chain.answerReview(approval.id, toReviewDecision(approval));
  else chain.answer(approval.id, toApprovalDecision(approval));
}

/** Returns the decision of an approval. An expired or cancelled approval is a rejection. */
export function toApprovalDecision({ status, answer }: ExecutionApproval): ApprovalDecision {
  if (answer !== null) return answer;
  const reason =
    status === "expired" ? "no user answered in time" : "the approval request was cancelled";
  return { decision: "refuse", reason, by: "system" };
}

/**
 * Returns the decision of a result's review. Without a reviewer's answer the result is withheld.
 */
export function toReviewDecision({ status, answer }: ResultApproval): ReviewDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "no user reviewed it in time" : "its review was cancelled";
  return { decision: "withhold", reason, by: "system" };
}
