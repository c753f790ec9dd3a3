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
import { OtherNodes, stoppedByPerson } from "./nodes/other-nodes.ts";
import { WarmRuns } from "./active/warm-runs.ts";
import { type Passing, PassingRuns } from "./passing-runs.ts";
import { Overrides } from "./permissions/overrides.ts";
import type { RunRequest, StoredRunRequest } from "./request/run-request.ts";
import { followPermissions } from "./nodes/permissions-elsewhere.ts";
import { KeyedMutex } from "./active/keyed-mutex.ts";
import type { ServerLimits } from "./request/run-limits.ts";
import type { CreateExecutor } from "./active/session.ts";
import { createSignsOfLife } from "./nodes/signs-of-life.ts";
import { type StartOutcome, Starts } from "./starts.ts";
import { OrphanSweep } from "./active/orphan-sweep.ts";
import { Claims } from "./active/claims.ts";

export interface RunServiceOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** Where grants are kept that hold in every session. @default store */
  readonly grants?: Store;
  /** The users' own rules. @default those in the store of grants */
  readonly overrides?: Overrides;
  /** When runs are forgotten, with all they left. @default never */
  readonly passing?: Passing;
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
const stopped: ChainError = { code: "aborted", message: stoppedByPerson, phase: "chain" };

/** How long another node has to stop a run, before it is taken from it. */
const stopWithinMs = 500;

/** Runs: begun, waited for, answered, stopped, taken up again. All of one store. */
export class RunService {
  readonly #options: RunServiceOptions;
  /** The users' own rules. */
  readonly overrides: Overrides;
  readonly #activeRuns: ActiveRuns;
  readonly #variables: ConversationVariables;
  readonly #warmRuns: WarmRuns;
  readonly #passing: PassingRuns | undefined;
  readonly #mutex = new KeyedMutex();
  readonly #answers: Answers;
  readonly #claims: Claims;
  readonly #dispatcher: Dispatcher;
  readonly #starts: Starts;
  readonly #others: OtherNodes;
  readonly #orphanSweep: OrphanSweep;
  readonly #showElsewhere: (run: Pick<RunRecord, "owner" | "id">) => void;
  readonly #clock: Clock;
  #onWaits: (expiresAt: number) => void = () => {};
  #closing = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    const { store, createExecutor, limits, passing } = options;
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
      onWaits: (expiresAt) => this.#onWaits(expiresAt),
      onEnd: (ended) => this.#onEnd(ended),
    });
    this.#showElsewhere = createSignsOfLife({
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
    this.#starts = new Starts({
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
    this.#others = new OtherNodes({ store, activeRuns: this.#activeRuns, log: options.log });
    this.#orphanSweep = new OrphanSweep({
      store,
      isInUse: (id) =>
        this.isActive(id) || this.#mutex.isLocked(id) || this.#claims.closeRetries.has(id),
      now: () => this.#clock.now(),
    });
    if (passing !== undefined) this.#passing = new PassingRuns(passing, (run) => this.#forget(run));
  }

  get store(): Store {
    return this.#options.store;
  }

  /** Makes a run, and begins it where there is a place. Resolves once it is stored; it goes on by itself. */
  start(request: RunRequest): Promise<StartOutcome> {
    return this.#starts.start(request);
  }

  /** Carries a run that failed or was stopped on, as a new run; finished calls are not done again. */
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
   * A person's word. The first one counts; a later one gets what was decided. Undefined: no such approval.
   *
   * @param runId the run that asks, where it is known: it need not be looked for
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
   * What a client's tools answered. Kept at once; the run goes on when it lacks nothing more. The
   * first output of a call counts, and the same again changes nothing.
   */
  submitOutputs(
    owner: string,
    runId: string,
    outputs: readonly ClientOutput[],
  ): Promise<OutcomeOf<Submission>> {
    return this.#answers.submitOutputs(owner, runId, outputs);
  }

  /** Closes the questions that nobody answered in time; the model is told. */
  expireApprovals(): Promise<void> {
    return this.#answers.expireApprovals();
  }

  /** From now on calls back when a question is kept here, with when it expires, and when a run parks. */
  tellOfWaits(listener: (expiresAt: number) => void): void {
    this.#onWaits = listener;
  }

  /** Ends a run that nobody answered in time. */
  async expire(run: RunRef): Promise<void> {
    await this.#mutex.runExclusive(run.id, () => this.#claims.claimAndClose(run, unanswered));
  }

  /** Stops a run in any status, at whichever node it goes on. Resolves when it has ended. */
  async cancel(run: Pick<RunRecord, "owner" | "id">): Promise<void> {
    // At once, whatever else waits for its turn with this run.
    this.#activeRuns.get(run.id)?.chain.abort(stoppedByPerson);
    await this.#mutex.runExclusive(run.id, async () => {
      const live = this.#activeRuns.get(run.id);
      live?.chain.abort(stoppedByPerson);
      await live?.done;
      const now = await this.store.getRun({ owner: run.owner, id: run.id });
      if (now === undefined || isClosing(now.status)) return;
      // Who has it knows best how far its calls are. If that node is gone, or slow, the run is taken from it.
      const isElsewhere = now.status === "in_progress";
      if (isElsewhere && (await this.#others.stopped(now, stopWithinMs))) return;
      await this.#endWherever(now);
    });
    await this.#activeRuns.get(run.id)?.done;
  }

  /** Another may have claimed it in the meantime: whoever has it then, it is ended. */
  async #endWherever(run: RunRecord): Promise<void> {
    for (let now: RunRecord | undefined = run; now !== undefined && !isClosing(now.status);) {
      if (await this.#claims.claimAndClose(now, stopped)) return;
      now = await this.store.getRun(run);
    }
  }

  /** Its client went away, which means stop; unless it is this server that leaves. */
  abandon(run: RunRecord): void {
    if (this.#closing) return;
    this.cancel(run).catch((thrown: unknown) =>
      this.#options.log(`Run ${run.id} could not be stopped: ${errorMessage(thrown)}`),
    );
  }

  /** Removes a run, stopped first where it goes on. Refused where something begins it again meanwhile. */
  async delete(run: RunRecord): Promise<OutcomeOf<Deletion>> {
    if (!isClosing(run.status)) await this.cancel(run);
    return this.#remove({ type: "delete-run", owner: run.owner, id: run.id });
  }

  /** Removes a conversation with its runs, stopped first. Refused where one begins meanwhile. */
  async deleteConversation(
    conversation: Pick<ConversationRecord, "owner" | "id">,
  ): Promise<OutcomeOf<Deletion>> {
    const { owner, id } = conversation;
    const runs = await this.store.listRuns({ owner, conversationId: id });
    for (const run of runs) if (!isClosing(run.status)) await this.cancel(run);
    return this.#remove({ type: "delete-conversation", owner, id });
  }

  /** Takes what nobody touched for long out of sight. */
  forget(write: ForgetLineage): Promise<OutcomeOf<ForgetLineage>> {
    return this.#remove(write);
  }

  async #remove(deletion: Deletion): Promise<OutcomeOf<Deletion>> {
    const [outcome] = await this.store.write([deletion]);
    if (outcome.status !== "deleted") return outcome;
    this.#variables.evict(outcome.runIds);
    this.#warmRuns.evict(outcome.runIds);
    return outcome;
  }

  /** Stops one call; the turn goes on. False where it is not open. */
  async cancelCall(run: RunRecord, callId: string): Promise<boolean> {
    const live = this.#activeRuns.get(run.id);
    if (live !== undefined) return live.chain.cancelCall(callId);
    return run.status === "in_progress" && this.#others.stopCall(run, callId);
  }

  isActive(runId: string): boolean {
    return this.#activeRuns.get(runId) !== undefined;
  }

  /** Counts the active runs, and the runs with operations that run or wait. */
  load(): { readonly activeRuns: number; readonly pendingRuns: number } {
    return { activeRuns: this.#activeRuns.entries().length, pendingRuns: this.#mutex.size };
  }

  /** The variables of a conversation, or of any run, as its newest run has them now. */
  async variablesOf({
    owner,
    headRunId,
  }: Pick<ConversationRecord, "owner" | "headRunId">): Promise<VariableSystem> {
    if (headRunId === null) return new VariableSystem();
    return this.#activeRuns.get(headRunId)?.variables ?? this.#variables.read(owner, headRunId);
  }

  /**
   * Changes a conversation's variables from outside, those of its newest run where that goes on.
   * What `edit` throws changes nothing. Undefined where the conversation is not there any more.
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

  /** A grant was revoked: what goes on must not use it any more. */
  revokeGrant(sessionId: string | null, grantId: string): void {
    this.#activeRuns.revokeGrant(sessionId, grantId);
  }

  /** Takes a number in the stream of a run that has not ended, so that a client sees that it is there. */
  heartbeat(run: Pick<RunRecord, "owner" | "id">): void {
    if (this.isActive(run.id)) this.#activeRuns.writeHeartbeat(run.id);
    else this.#showElsewhere(run);
  }

  /** Claims and resumes a run, unless this process has started it in the meantime. */
  async #claim(run: RunRef): Promise<void> {
    const isExecuting =
      this.#activeRuns.get(run.id)?.epoch === run.epoch && run.status === "in_progress";
    if (!isExecuting) await this.#claims.claimAndResume(run);
  }

  /** What the server before this one left. Read before anything is begun here, which would look the same. */
  async leftOver(): Promise<readonly RunRef[]> {
    const [orphans, queued] = await Promise.all([
      this.store.everyOrphan(),
      this.store.everyRunIn({ status: "queued" }),
    ]);
    return [...orphans, ...queued];
  }

  /**
   * Takes up runs that nobody holds, as far as there is room: each goes on where it stopped. What
   * another has by then stays with it.
   */
  recover(left: readonly RunRef[]): Promise<void> {
    return this.#dispatcher.claim(left);
  }

  /**
   * Looks after what lies in the store: runs whose node is gone, those that this node has and does
   * not know of, and those that wait for a place.
   */
  async sweep(): Promise<void> {
    const orphans = await this.store.everyOrphan();
    await this.#dispatcher.sweep([...orphans, ...(await this.#orphanSweep.findOrphans())]);
  }

  /** Other nodes may have taken over what goes on here, and this one was not told. */
  lookAtAll(): void {
    this.#others.lookAtAll();
  }

  /** Which queued runs go on here. */
  get dispatcher(): Dispatcher {
    return this.#dispatcher;
  }

  /**
   * Begins nothing more, lets runs end for `graceMs`, then hands back what is left: the next server
   * goes on with it.
   *
   * @returns how many were handed back
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

  #forget({ id, owner }: Pick<RunRecord, "id" | "owner">): void {
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
    else this.#passing?.ended(run, isWaiting);
  }
}
