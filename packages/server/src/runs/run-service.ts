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
import { editVariables, variablesAtRest, variablesHolder } from "./active/run-variables.ts";
import type { CreateExecutor } from "./active/launch.ts";
import { RunRegistry } from "./active/run-registry.ts";
import { type MemoryRunLimits, RunStores } from "./active/run-stores.ts";
import { Slots } from "./active/slots.ts";
import { Answers, type Submission } from "./answers.ts";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { NodeMessages, stoppedByUser } from "./nodes/node-messages.ts";
import { Overrides } from "./permissions/overrides.ts";
import type { ServerLimits } from "./request/run-limits.ts";
import type { RunRequest, StoredRunRequest } from "./request/run-request.ts";
import { createHeartbeats } from "./run-heartbeats.ts";
import { type StartOutcome, startRun } from "./start-run.ts";

export interface RunServiceOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** The store of runs that are not kept. @default there are none */
  readonly memory?: Store;
  /** When runs in memory are deleted after their end. @default after an hour, and the oldest above 1,000 */
  readonly memoryLimits?: MemoryRunLimits;
  /** @default the system's */
  readonly clock?: Clock;
  readonly log: (line: string) => void;
}

type ForgetLineage = Extract<StoreWrite, { type: "forget-lineage" }>;
type Revoked = Extract<
  OutcomeOf<Extract<StoreWrite, { type: "revoke-grant" }>>,
  { status: "revoked" }
>;
type Deletion = Extract<StoreWrite, { type: "delete-run" | "delete-conversation" }> | ForgetLineage;

const unanswered: ChainError = {
  code: "timeout",
  message: "Nobody answered what it waited for in time.",
  phase: "chain",
};
const stopped: ChainError = { code: "aborted", message: stoppedByUser, phase: "chain" };

/** How long another node has to stop a run before this node claims it. */
const stopTimeoutMs = 500;

/** The runs of this process and its stores: starts, answers, cancels, resumes and deletes them. */
export class RunService {
  readonly #options: RunServiceOptions;
  /** The users' own rules. */
  readonly overrides: Overrides;
  /** Decides which queued runs execute here. */
  readonly dispatcher: Dispatcher;
  /** Where runs are: those that are kept, and those in memory. */
  readonly stores: RunStores;
  readonly #slots: Slots;
  readonly #registry: RunRegistry;
  readonly #answers: Answers;
  readonly #nodeMessages: NodeMessages;
  readonly #requestHeartbeat: (run: Pick<RunRecord, "owner" | "id">) => void;
  readonly #clock: Clock;
  #onDeadline: (expiresAt: number) => void = () => {};

  constructor(options: RunServiceOptions) {
    this.#options = options;
    const { store, limits, memory } = options;
    const clock = options.clock ?? systemClock;
    const overrides = new Overrides(store);
    const stores = new RunStores({ durable: store, memory, limits: options.memoryLimits });
    stores.setExpiryListener((run) => this.#deleteExpired(run));
    const slots = new Slots(limits);
    const common = { ...options, stores, slots, clock, overrides };
    const registry = new RunRegistry({
      ...common,
      onGrant: (run, grant) => void this.#answers.release(run, grant),
      onDeadline: (expiresAt) => this.#onDeadline(expiresAt),
      onOver: (run, { isWaiting, isQueued }) => {
        if (isQueued) void this.recover([{ ...run, status: "queued" }]);
        else stores.stopped(run, isWaiting);
      },
    });
    this.dispatcher = new Dispatcher({ ...common, runs: registry });
    this.#answers = new Answers({ ...common, registry, dispatcher: this.dispatcher });
    this.#nodeMessages = new NodeMessages({ ...common, store, registry });
    this.#requestHeartbeat = createHeartbeats({ ...common, heartbeatMs: limits.heartbeatMs });
    this.overrides = overrides;
    this.stores = stores;
    this.#slots = slots;
    this.#registry = registry;
    this.#clock = clock;
  }

  /** Runs that are kept, and conversations. */
  get store(): Store {
    return this.#options.store;
  }

  /**
   * Creates a run, and starts it if a slot is free. Resolves when it is stored; the run continues on its own.
   *
   * @param options.kept whether it is in the durable store, or in memory for a while. @default true
   */
  start(request: RunRequest, { kept = true } = {}): Promise<StartOutcome> {
    const { stores, dispatcher } = this;
    const context = { stores, dispatcher, registry: this.#registry, slots: this.#slots };
    return startRun(context, request, { kept });
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
  async answer(
    owner: string,
    id: string,
    answer: ApprovalDecision | ReviewDecision,
    runId?: string,
  ): Promise<ApprovalRecord | undefined> {
    const of = runId ?? (await this.stores.getApproval({ owner, id }))?.runId;
    return of === undefined ? undefined : this.#answers.answer(owner, id, answer, of);
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
    await this.#registry.inOrder(run.id, () => this.#registry.close(run, unanswered));
  }

  /** Stops a run in any status, at whichever node executes it. Resolves when it has ended. */
  async cancel(run: Pick<RunRecord, "owner" | "id">): Promise<void> {
    const registry = this.#registry;
    // At once, ahead of the commands that wait for this run.
    await registry.get(run.id)?.cancel(stoppedByUser);
    await registry.inOrder(run.id, async () => {
      await registry.get(run.id)?.cancel(stoppedByUser);
      let now = await this.stores.of(run.id).getRun({ owner: run.owner, id: run.id });
      if (now === undefined || isClosing(now.status)) return;
      // Its owner knows the state of its calls. If that node is gone or slow, this one claims the run.
      const isElsewhere = now.status === "in_progress";
      if (isElsewhere && (await this.#nodeMessages.stopRun(now, stopTimeoutMs))) return;
      // Others may claim it in the meantime.
      while (now !== undefined && !isClosing(now.status)) {
        if (await registry.close(now, stopped)) return;
        now = await this.stores.of(run.id).getRun(run);
      }
    });
  }

  /** Cancels a run whose client disconnected, unless this server is closing. */
  cancelOnDisconnect(run: RunRecord): void {
    if (this.#registry.isStopping) return;
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
    for (let after: string | undefined; ;) {
      const page = { conversationId: id, limit: 100, ...(after !== undefined && { after }) };
      const { data, hasMore } = await this.store.listRuns({ owner, ...page });
      for (const run of data) if (!isClosing(run.status)) await this.cancel(run);
      if (!hasMore) break;
      after = data.at(-1)?.id;
    }
    return this.#remove({ type: "delete-conversation", owner, id });
  }

  /** Deletes runs or conversations that retention selected. */
  deleteLineage(write: ForgetLineage): Promise<OutcomeOf<ForgetLineage>> {
    return this.#remove(write);
  }

  async #remove(deletion: Deletion): Promise<OutcomeOf<Deletion>> {
    const store = deletion.type === "delete-run" ? this.stores.of(deletion.id) : this.store;
    const [outcome] = await store.write([deletion]);
    if (outcome.status !== "deleted") return outcome;
    this.stores.forget(outcome.runIds);
    this.#registry.warm.evict(outcome.runIds);
    return outcome;
  }

  /** Cancels one call; its turn continues. Returns false if the call is not open. */
  async cancelCall(run: RunRecord, callId: string): Promise<boolean> {
    const active = this.#registry.get(run.id);
    if (active?.phase === "running") return active.cancelCall(callId);
    return run.status === "in_progress" && this.#nodeMessages.stopCall(run, callId);
  }

  isActive(runId: string): boolean {
    return this.#registry.isActive(runId);
  }

  /** Counts the runs that this process has claimed, and those with commands that run or wait. */
  load(): { readonly claimedRuns: number; readonly pendingRuns: number } {
    return { claimedRuns: this.#registry.size, pendingRuns: this.#registry.busy };
  }

  /** Returns the variables of a conversation as its newest run has them now. */
  async variablesOf({
    owner,
    headRunId,
  }: Pick<ConversationRecord, "owner" | "headRunId">): Promise<VariableSystem> {
    if (headRunId === null) return new VariableSystem();
    const live = this.#registry.get(headRunId)?.session?.variables;
    const run = live ?? (await this.stores.of(headRunId).getRun({ owner, id: headRunId }));
    if (run === undefined) return new VariableSystem();
    return run instanceof VariableSystem ? run : this.#variablesAtRest(run);
  }

  #variablesAtRest(run: RunRecord): Promise<VariableSystem> {
    const { warm } = this.#registry;
    const stores = { store: this.stores.of(run.id), warm };
    return variablesAtRest(stores, run, this.#options.createExecutor);
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
      const runId = await variablesHolder(this.store, now);
      const edited = await this.#registry.inOrder(runId, () =>
        this.#editVariables(conversation, runId, edit),
      );
      if (edited !== undefined) return edited;
      now = await this.store.getConversation(conversation);
    }
    return undefined;
  }

  /** A command of the run. Returns `undefined` if the conversation has a newer one. */
  async #editVariables(
    { owner, id }: ConversationRecord,
    headRunId: string,
    edit: (draft: VariableSystem) => void,
  ): Promise<VariableSystem | undefined> {
    const { warm } = this.#registry;
    const live = this.#registry.get(headRunId)?.session?.variables;
    const run = live === undefined ? await this.store.getRun({ owner, id: headRunId }) : undefined;
    const variables = live ?? (run && (await this.#variablesAtRest(run)));
    if (variables === undefined) return undefined;
    if (!(await editVariables(this.store, { owner, id, headRunId }, variables, edit)))
      return undefined;
    // Another node, or a claim that is on its way here, changes those of a run in progress, too.
    if (run !== undefined && run.status !== "in_progress")
      warm.edit({ ...run, edits: run.edits + 1 }, variables);
    else warm.evict([headRunId]);
    return variables;
  }

  /** Revokes a grant, also in the active runs. Returns `undefined` if there is no such grant. */
  async revokeGrant(owner: string, id: string): Promise<Revoked | undefined> {
    for (const store of this.stores.all) {
      const [outcome] = await store.write([{ type: "revoke-grant", owner, id }]);
      if (outcome.status !== "revoked") continue;
      this.#registry.grants.revoke(outcome.grant.sessionId, id);
      return outcome;
    }
    return undefined;
  }

  /** Asks for a heartbeat event in the stream of a run that has not ended. */
  heartbeat(run: Pick<RunRecord, "owner" | "id">): void {
    const active = this.#registry.get(run.id);
    if (active === undefined) this.#requestHeartbeat(run);
    else void active.send({ type: "heartbeat" });
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
    return this.dispatcher.claim(runs);
  }

  /** Claims orphaned runs, runs that this node owns but does not execute, and queued runs. */
  async sweep(): Promise<void> {
    const orphans = await this.store.everyOrphan();
    await this.dispatcher.sweep([...orphans, ...(await this.#registry.findOrphans())]);
  }

  /** Refreshes every active run from the store, as messages of other nodes may have been lost. */
  refreshAll(): void {
    this.#nodeMessages.refreshRuns();
  }

  /**
   * Starts no more runs, waits up to `graceMs` for active runs to end, then hands back the others for
   * the next server.
   *
   * @returns how many of the runs that are kept were handed back
   */
  async close(graceMs: number): Promise<number> {
    const registry = this.#registry;
    registry.stopClaims();
    const all = Promise.all(registry.active().map(({ stopped: done }) => done));
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(graceMs, resolve);
    await Promise.race([all, over]);
    cancel();
    const left = registry.active();
    for (const run of left) {
      const { id: runId, epoch, store } = run;
      registry.detach(run, "the server is stopping");
      try {
        await store.write([{ type: "set-status", runId, status: "queued", epoch }]);
      } catch (thrown) {
        // As after a crash, the next server finds it in progress.
        this.#options.log(`Run ${runId} could not be handed back: ${errorMessage(thrown)}`);
      }
    }
    return left.filter(({ store }) => store === this.store).length;
  }

  #deleteExpired({ id, owner }: Pick<RunRecord, "id" | "owner">): void {
    this.#remove({ type: "delete-run", owner, id }).catch((thrown: unknown) =>
      this.#options.log(`Run ${id} could not be forgotten: ${errorMessage(thrown)}`),
    );
  }
}
