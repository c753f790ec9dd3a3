import {
  type ApprovalDecision,
  type ChainError,
  type Clock,
  type ReviewDecision,
  VariableSystem,
} from "@capstan/core";
import {
  type ClientOutput,
  errorMessage,
  type ModelCatalog,
  systemClock,
} from "@capstan/core/host";
import {
  type ApprovalRecord,
  type ConversationRecord,
  isClosing,
  type OutcomeOf,
  type RunRecord,
  type RunRef,
  type Store,
  type StoreWrite,
} from "@capstan/store";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { Answers, type Submission } from "./answers.ts";
import { ActiveRuns, type EndedRun } from "./active/active-runs.ts";
import { ConversationVariables } from "./active/conversation-variables.ts";
import { NodeMessages, stoppedByUser } from "./nodes/node-messages.ts";
import { WarmRuns } from "./active/warm-runs.ts";
import { type EphemeralLimits, EphemeralRuns } from "./ephemeral-runs.ts";
import { Overrides } from "./permissions/overrides.ts";
import type { RunRequest, StoredRunRequest } from "./request/run-request.ts";
import { followPermissions } from "./nodes/follow-permissions.ts";
import { KeyedMutex } from "./active/keyed-mutex.ts";
import type { ServerLimits } from "./request/run-limits.ts";
import type { CreateExecutor } from "./active/session.ts";
import { createHeartbeats } from "./run-heartbeats.ts";
import { type StartOutcome, RunStarter } from "./run-starter.ts";
import { OrphanSweep } from "./active/orphan-sweep.ts";
import { Claims } from "./active/claim-and-resume.ts";

export interface RunServiceOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** The store of the grants that hold in every session. @default store */
  readonly grants?: Store;
  /** The users' own rules. @default those in the store of grants */
  readonly overrides?: Overrides;
  /** When runs are deleted after their end. @default never */
  readonly ephemeral?: EphemeralLimits;
  /** @default the system's */
  readonly clock?: Clock;
  readonly log: (line: string) => void;
}

type ForgetLineage = Extract<StoreWrite, { type: "forget-lineage" }>;
type Deletion = Extract<StoreWrite, { type: "delete-run" | "delete-conversation" }> | ForgetLineage;

const unanswered: ChainError = {
  code: "timeout",
  message: "Nobody answered what it waited for in time.",
  phase: "chain",
};
const stopped: ChainError = { code: "aborted", message: stoppedByUser, phase: "chain" };

/** How long another node has to stop a run before this node claims it. */
const stopTimeoutMs = 500;

/** The runs of one store: starts, answers, cancels, resumes and deletes them. */
export class RunService {
  readonly #options: RunServiceOptions;
  /** The users' own rules. */
  readonly overrides: Overrides;
  readonly #activeRuns: ActiveRuns;
  readonly #variables: ConversationVariables;
  readonly #warmRuns: WarmRuns;
  readonly #ephemeral: EphemeralRuns | undefined;
  readonly #mutex = new KeyedMutex();
  readonly #answers: Answers;
  readonly #claims: Claims;
  readonly #dispatcher: Dispatcher;
  readonly #starter: RunStarter;
  readonly #nodeMessages: NodeMessages;
  readonly #orphanSweep: OrphanSweep;
  readonly #requestHeartbeat: (run: Pick<RunRecord, "owner" | "id">) => void;
  readonly #clock: Clock;
  #onDeadline: (expiresAt: number) => void = () => {};
  #closing = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    const { store, createExecutor, limits, ephemeral } = options;
    this.#clock = options.clock ?? systemClock;
    const cacheLimits = { maxEntries: limits.warmSessions, maxBytes: limits.warmBytes / 2 };
    this.#variables = new ConversationVariables({ store, createExecutor, limits: cacheLimits });
    this.#warmRuns = new WarmRuns(cacheLimits);
    this.overrides = options.overrides ?? new Overrides(options.grants ?? store);
    this.#activeRuns = new ActiveRuns({
      grants: store,
      ...options,
      clock: this.#clock,
      overrides: this.overrides,
      onGrant: (run, grant) => void this.#answers.release(run, grant),
      variables: this.#variables,
      onDeadline: (expiresAt) => this.#onDeadline(expiresAt),
      onEnd: (ended) => this.#onEnd(ended),
    });
    this.#requestHeartbeat = createHeartbeats({
      store,
      heartbeatMs: limits.heartbeatMs,
      clock: this.#clock,
      log: options.log,
    });
    this.#claims = new Claims({
      store,
      activeRuns: this.#activeRuns,
      warmRuns: this.#warmRuns,
      mutex: this.#mutex,
      isStopping: () => this.#closing,
      maxCrashes: limits.maxCrashes,
      log: options.log,
    });
    this.#dispatcher = new Dispatcher({
      store,
      limits,
      claim: (run) => this.#mutex.runExclusive(run.id, async () => this.#claim(run)),
      resume: (run, answer) =>
        this.#mutex.runExclusive(run.id, () => this.#claims.resume(run, answer)),
      isActive: (runId) => this.isActive(runId),
      isStopping: () => this.#closing,
      log: options.log,
    });
    this.#answers = new Answers({
      store,
      createExecutor,
      activeRuns: this.#activeRuns,
      dispatcher: this.#dispatcher,
      log: options.log,
    });
    this.#starter = new RunStarter({
      store,
      mutex: this.#mutex,
      dispatcher: this.#dispatcher,
      claims: this.#claims,
      isStopping: () => this.#closing,
      isActive: (runId) => this.isActive(runId),
    });
    followPermissions({
      store: options.grants ?? store,
      activeRuns: this.#activeRuns,
      overrides: this.overrides,
      log: options.log,
    });
    this.#nodeMessages = new NodeMessages({
      store,
      activeRuns: this.#activeRuns,
      log: options.log,
    });
    this.#orphanSweep = new OrphanSweep({
      store,
      isInUse: (id) =>
        this.isActive(id) || this.#mutex.isLocked(id) || this.#claims.closeRetries.has(id),
      now: () => this.#clock.now(),
    });
    if (ephemeral !== undefined)
      this.#ephemeral = new EphemeralRuns(ephemeral, (run) => this.#deleteExpired(run));
  }

  get store(): Store {
    return this.#options.store;
  }

  /** Creates a run, and starts it if a slot is free. Resolves when it is stored; the run continues on its own. */
  start(request: RunRequest): Promise<StartOutcome> {
    return this.#starter.start(request);
  }

  /** Continues a run that failed or was stopped, as a new run. Finished calls are not run again. */
  async retry(run: RunRecord, model: string): Promise<StartOutcome> {
    if (!isClosing(run.status) || run.status === "completed") {
      return {
        status: "conflict",
        message: `This run is ${run.status}: there is nothing to try again.`,
      };
    }
    const stored = run.request as unknown as StoredRunRequest;
    return this.start({
      ...stored,
      principal: run.owner,
      model,
      context: [],
      inputMessages: [],
      inputItems: [],
      parentId: run.id,
      conversationId: run.conversationId,
      title: null,
      answers: [],
      outputs: [],
      continuesParent: true,
    });
  }

  /**
   * Answers an approval request. The first answer counts; a later one returns the decision. Returns
   * `undefined` if there is no such approval.
   *
   * @param runId the run that waits, if the caller knows it, so that it is not searched
   */
  answer(
    owner: string,
    id: string,
    answer: ApprovalDecision | ReviewDecision,
    runId?: string,
  ): Promise<ApprovalRecord | undefined> {
    return this.#answers.answer(owner, id, answer, runId);
  }

  /**
   * Stores the outputs of a client's tools. The run resumes when it has all of them. The first output
   * of a call counts; the same output again changes nothing.
   */
  submitOutputs(
    owner: string,
    runId: string,
    outputs: readonly ClientOutput[],
  ): Promise<OutcomeOf<Submission>> {
    return this.#answers.submitOutputs(owner, runId, outputs);
  }

  /** Expires approval requests without an answer in time; the model is told. */
  expireApprovals(): Promise<void> {
    return this.#answers.expireApprovals();
  }

  /** Sets the listener for new deadlines: of an approval request that was stored here, or of a run that suspended. */
  setDeadlineListener(listener: (expiresAt: number) => void): void {
    this.#onDeadline = listener;
  }

  /** Closes a suspended run without an answer in time. */
  async expire(run: RunRef): Promise<void> {
    await this.#mutex.runExclusive(run.id, () => this.#claims.claimAndClose(run, unanswered));
  }

  /** Stops a run in any status, at whichever node executes it. Resolves when it has ended. */
  async cancel(run: Pick<RunRecord, "owner" | "id">): Promise<void> {
    // At once, ahead of operations that wait for this run.
    this.#activeRuns.get(run.id)?.chain.abort(stoppedByUser);
    await this.#mutex.runExclusive(run.id, async () => {
      const live = this.#activeRuns.get(run.id);
      live?.chain.abort(stoppedByUser);
      await live?.done;
      const now = await this.store.getRun({ owner: run.owner, id: run.id });
      if (now === undefined || isClosing(now.status)) return;
      // Its owner knows the state of its calls. If that node is gone or slow, this one claims the run.
      const isElsewhere = now.status === "in_progress";
      if (isElsewhere && (await this.#nodeMessages.stopRun(now, stopTimeoutMs))) return;
      await this.#closeClaimed(now);
    });
    await this.#activeRuns.get(run.id)?.done;
  }

  /** Closes a run, also if other nodes claim it in the meantime. */
  async #closeClaimed(run: RunRecord): Promise<void> {
    for (let now: RunRecord | undefined = run; now !== undefined && !isClosing(now.status);) {
      if (await this.#claims.claimAndClose(now, stopped)) return;
      now = await this.store.getRun(run);
    }
  }

  /** Cancels a run whose client disconnected, unless this server is closing. */
  cancelOnDisconnect(run: RunRecord): void {
    if (this.#closing) return;
    this.cancel(run).catch((thrown: unknown) =>
      this.#options.log(`Run ${run.id} could not be stopped: ${errorMessage(thrown)}`),
    );
  }

  /** Deletes a run, after cancelling it. Rejected if it is started again in the meantime. */
  async delete(run: RunRecord): Promise<OutcomeOf<Deletion>> {
    if (!isClosing(run.status)) await this.cancel(run);
    return this.#remove({ type: "delete-run", owner: run.owner, id: run.id });
  }

  /** Deletes a conversation with its runs, after cancelling them. Rejected if a run starts in the meantime. */
  async deleteConversation(
    conversation: Pick<ConversationRecord, "owner" | "id">,
  ): Promise<OutcomeOf<Deletion>> {
    const { owner, id } = conversation;
    const runs = await this.store.listRuns({ owner, conversationId: id });
    for (const run of runs) if (!isClosing(run.status)) await this.cancel(run);
    return this.#remove({ type: "delete-conversation", owner, id });
  }

  /** Deletes runs or conversations that retention selected. */
  deleteLineage(write: ForgetLineage): Promise<OutcomeOf<ForgetLineage>> {
    return this.#remove(write);
  }

  async #remove(deletion: Deletion): Promise<OutcomeOf<Deletion>> {
    const [outcome] = await this.store.write([deletion]);
    if (outcome.status !== "deleted") return outcome;
    this.#variables.evict(outcome.runIds);
    this.#warmRuns.evict(outcome.runIds);
    return outcome;
  }

  /** Cancels one call; its turn continues. Returns false if the call is not open. */
  async cancelCall(run: RunRecord, callId: string): Promise<boolean> {
    const live = this.#activeRuns.get(run.id);
    if (live !== undefined) return live.chain.cancelCall(callId);
    return run.status === "in_progress" && this.#nodeMessages.stopCall(run, callId);
  }

  isActive(runId: string): boolean {
    return this.#activeRuns.get(runId) !== undefined;
  }

  /** Counts the active runs, and the runs with operations that run or wait. */
  load(): { readonly activeRuns: number; readonly pendingRuns: number } {
    return { activeRuns: this.#activeRuns.entries().length, pendingRuns: this.#mutex.size };
  }

  /** Returns the variables of a conversation as its newest run has them now. */
  async variablesOf({
    owner,
    headRunId,
  }: Pick<ConversationRecord, "owner" | "headRunId">): Promise<VariableSystem> {
    if (headRunId === null) return new VariableSystem();
    return this.#activeRuns.get(headRunId)?.variables ?? this.#variables.read(owner, headRunId);
  }

  /**
   * Edits a conversation's variables from outside, in memory if its newest run is active. If `edit`
   * throws, nothing changes. Returns `undefined` if the conversation does not exist any more.
   */
  async editVariables(
    conversation: ConversationRecord,
    edit: (draft: VariableSystem) => void,
  ): Promise<VariableSystem | undefined> {
    for (let now: ConversationRecord | undefined = conversation; now !== undefined;) {
      const runId = await this.#variables.holder(now);
      const edited = await this.#mutex.runExclusive(runId, () =>
        this.#variables.edit(conversation, runId, edit, this.#activeRuns.get(runId)?.variables),
      );
      if (edited !== undefined) return edited;
      now = await this.store.getConversation(conversation);
    }
    return undefined;
  }

  /** Revokes a grant in the active runs. */
  revokeGrant(sessionId: string | null, grantId: string): void {
    this.#activeRuns.revokeGrant(sessionId, grantId);
  }

  /** Asks for a heartbeat event in the stream of a run that has not ended. */
  heartbeat(run: Pick<RunRecord, "owner" | "id">): void {
    if (this.isActive(run.id)) this.#activeRuns.writeHeartbeat(run.id);
    else this.#requestHeartbeat(run);
  }

  /** Claims and resumes a run, unless this process has started it in the meantime. */
  async #claim(run: RunRef): Promise<void> {
    const isExecuting =
      this.#activeRuns.get(run.id)?.epoch === run.epoch && run.status === "in_progress";
    if (!isExecuting) await this.#claims.claimAndResume(run);
  }

  /** Lists the runs that the previous server left. To be called before this one starts runs. */
  async listUnfinished(): Promise<readonly RunRef[]> {
    const [orphans, queued] = await Promise.all([
      this.store.everyOrphan(),
      this.store.everyRunIn({ status: "queued" }),
    ]);
    return [...orphans, ...queued];
  }

  /** Claims and resumes runs without an owner while slots are free. Runs with another owner stay with it. */
  recover(runs: readonly RunRef[]): Promise<void> {
    return this.#dispatcher.claim(runs);
  }

  /** Claims orphaned runs, runs that this node owns but does not execute, and queued runs. */
  async sweep(): Promise<void> {
    const orphans = await this.store.everyOrphan();
    await this.#dispatcher.sweep([...orphans, ...(await this.#orphanSweep.findOrphans())]);
  }

  /** Refreshes every active run from the store, as messages of other nodes may have been lost. */
  refreshAll(): void {
    this.#nodeMessages.refreshAll();
  }

  /** Decides which queued runs execute here. */
  get dispatcher(): Dispatcher {
    return this.#dispatcher;
  }

  /**
   * Starts no more runs, waits up to `graceMs` for active runs to end, then hands back the others for
   * the next server.
   *
   * @returns how many runs were handed back
   */
  async close(graceMs: number): Promise<number> {
    this.#closing = true;
    const all = Promise.allSettled(this.#activeRuns.entries().map(([, { done }]) => done));
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(graceMs, resolve);
    await Promise.race([all, over]);
    cancel();
    const left = this.#activeRuns.entries();
    for (const [runId, { chain, epoch }] of left) {
      chain.detach("the server is stopping");
      try {
        await this.store.write([{ type: "set-status", runId, status: "queued", epoch }]);
      } catch (thrown) {
        // As after a crash, the next server finds it in progress.
        this.#options.log(`Run ${runId} could not be handed back: ${errorMessage(thrown)}`);
      }
    }
    return left.length;
  }

  #deleteExpired({ id, owner }: Pick<RunRecord, "id" | "owner">): void {
    this.#remove({ type: "delete-run", owner, id }).catch((thrown: unknown) =>
      this.#options.log(`Run ${id} could not be forgotten: ${errorMessage(thrown)}`),
    );
  }

  #onEnd({ run, isWaiting, suspendedState, isQueued, closeFailure }: EndedRun): void {
    if (suspendedState !== undefined) this.#warmRuns.set(run, suspendedState);
    this.#dispatcher.releaseSlot(run.id);
    if (closeFailure !== undefined)
      void this.#claims.closeRetries.closeLater(run, {
        code: "journal_failed",
        message: closeFailure,
        phase: "chain",
      });
    else if (isQueued) void this.recover([{ ...run, status: "queued" }]);
    else this.#ephemeral?.onEnd(run, isWaiting);
  }
}
