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
  type VariableType,
  systemClock,
} from "@capstan/core/host";
import {
  type ApprovalRecord,
  type ConversationRecord,
  isClosing,
  type OutcomeOf,
  type PendingApproval,
  type RequestKey,
  requestOf,
  type RunRecord,
  type RunRef,
  type Store,
  type StoreWrite,
} from "@capstan/store";
import {
  editVariables,
  type EditOptions,
  type VariablesContext,
  variablesOfRun,
} from "./active/run-variables.ts";
import type { RequestServers } from "@capstan/contract";
import type { AttachmentTools } from "./files/attachment-tools.ts";
import { cacheDocuments, type DocumentConverter } from "./files/document-text.ts";
import type { CreateExecutor } from "./active/launch.ts";
import { RunRegistry } from "./active/run-registry.ts";
import { limitHistories } from "./active/history-budget.ts";
import { claimingStore, type MemoryRunLimits, RunStores } from "./active/run-stores.ts";
import { Dispatcher, Slots } from "./dispatch/dispatcher.ts";
import {
  type AnswerContext,
  answerApproval,
  expireApprovals,
  releaseCovered,
  type Submission,
  submitOutputs,
} from "./answers.ts";
import { type CancelContext, cancelRun } from "./cancel-run.ts";
import { NodeMessages } from "./nodes/node-messages.ts";
import { Overrides } from "./active/run-permissions.ts";
import type { ServerLimits } from "./request/run-limits.ts";
import type { RunRequest } from "./request/run-request.ts";
import { createToolSearch, type ToolSearch } from "../tool-search/tool-search.ts";
import { createHeartbeats } from "./run-heartbeats.ts";
import {
  retryRequest,
  type StartOptions,
  type StartOutcome,
  startRun,
  type StartRunContext,
} from "./start-run.ts";

export interface RunServiceOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** Converts documents for models that do not take them. @default documents are not converted */
  readonly documents?: DocumentConverter | undefined;
  /** Hidden tools for files that a model does not take. @default none */
  readonly attachmentTools?: AttachmentTools | undefined;
  /** Connects to the MCP servers that requests name. @default such tools are not offered */
  readonly requestServers?: RequestServers | undefined;
  /** Finds tools by a task. @default by words, without an embedding model */
  readonly toolSearch?: ToolSearch;
  /** The store of runs in memory. @default no such store */
  readonly memory?: Store;
  /**
   * When ended runs in memory are deleted. @default after an hour; above 1,000 runs, the oldest
   * first
   */
  readonly memoryLimits?: MemoryRunLimits;
  /** @default the system's clock */
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
  message: "The run did not get its answer in time.",
  phase: "chain",
};

/** The runs of this process and its stores: starts, answers, cancels, resumes and deletes them. */
export class RunService {
  readonly #options: Omit<RunServiceOptions, "documents">;
  /** The users' own rules. */
  readonly overrides: Overrides;
  /** Selects the queued runs that execute here. */
  readonly dispatcher: Dispatcher;
  /** The stores of durable runs and of runs in memory. */
  readonly stores: RunStores;
  /** Finds tools by a task. */
  readonly toolSearch: ToolSearch;
  readonly #registry: RunRegistry;
  readonly #nodeMessages: NodeMessages;
  readonly #requestHeartbeat: (run: Pick<RunRecord, "owner" | "id">) => void;
  readonly #context: StartRunContext & CancelContext & VariablesContext & AnswerContext;
  #onDeadline: (pending: readonly PendingApproval[]) => void = () => {};

  constructor(given: RunServiceOptions) {
    // All parts use the same object, because stores are compared by identity.
    const documents = given.documents && cacheDocuments(given.documents, given.clock);
    const options = {
      ...given,
      documents,
      store: limitHistories(claimingStore(given.store), given.limits),
      ...(given.memory && { memory: limitHistories(given.memory, given.limits) }),
    };
    this.#options = options;
    const { store, limits, memory } = options;
    const clock = options.clock ?? systemClock;
    const overrides = new Overrides(store);
    const stores = new RunStores({ durable: store, memory, limits: options.memoryLimits });
    stores.setExpiryListener((run) => this.#deleteExpired(run));
    const slots = new Slots(limits);
    this.toolSearch = options.toolSearch ?? createToolSearch();
    const { toolSearch } = this;
    const common = { ...options, stores, slots, clock, overrides, toolSearch };
    const registry = new RunRegistry({
      ...common,
      onGrant: (run, grant) => void releaseCovered(this.#context, run, grant),
      onDeadline: (pending) => this.#onDeadline(pending),
      onOver: (run, { isWaiting, isQueued }) => {
        if (isQueued) void this.recover([{ ...run, status: "queued" }]);
        else stores.stopped(run, isWaiting);
        const { requestServers: servers = [] } = requestOf(run);
        if (!isQueued && !isWaiting) options.requestServers?.release(servers.map(({ id }) => id));
      },
    });
    const dispatcher = new Dispatcher({ ...common, runs: registry });
    const nodeMessages = new NodeMessages({ ...common, store, registry });
    this.#requestHeartbeat = createHeartbeats({ ...common, heartbeatMs: limits.heartbeatMs });
    this.overrides = overrides;
    this.stores = stores;
    this.dispatcher = dispatcher;
    this.#registry = registry;
    this.#nodeMessages = nodeMessages;
    this.#context = { ...common, registry, dispatcher, nodeMessages };
  }

  /** The store of durable runs and conversations. */
  get store(): Store {
    return this.#options.store;
  }

  /**
   * Creates a run, and starts it if a slot is free. Resolves when it is stored; the run continues on its own.
   *
   * @param options.isDurable whether it is in the durable store; otherwise it is in memory until it
   * expires. @default true
   */
  start(
    request: RunRequest,
    { isDurable = true, ...options }: Partial<StartOptions> = {},
  ): Promise<StartOutcome> {
    return startRun(this.#context, request, { ...options, isDurable });
  }

  /**
   * Continues a run that failed or was stopped, as a new run. Completed calls are not run again.
   */
  async retry(run: RunRecord, model: string, key?: RequestKey): Promise<StartOutcome> {
    const store = this.stores.of(run.id);
    const request = await retryRequest(store, run, model);
    const isDurable = store === this.store;
    if (request !== undefined) return this.start(request, { isDurable, key });
    const message = `This run is ${run.status}: only a run that ended without completing can be retried.`;
    return { status: "conflict", message };
  }

  /**
   * Answers an approval request. The first answer counts; a later one returns the decision. Returns
   * `undefined` if there is no such approval.
   *
   * @param runId the waiting run, if the caller knows it; otherwise the stores are searched for it
   */
  async answer(
    owner: string,
    id: string,
    answer: ApprovalDecision | ReviewDecision,
    runId?: string,
  ): Promise<ApprovalRecord | undefined> {
    const of = runId ?? (await this.stores.getApproval({ owner, id }))?.runId;
    return of === undefined
      ? undefined
      : answerApproval(this.#context, { owner, id, runId: of }, answer);
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
    return submitOutputs(this.#context, { owner, id: runId }, outputs);
  }

  /**
   * Expires approval requests that were not answered in time; the model reads that they expired.
   *
   * @param ids the requests to expire. @default all requests whose stored time is up
   */
  expireApprovals(ids?: readonly string[]): Promise<void> {
    return expireApprovals(this.#context, ids);
  }

  /**
   * Sets the listener for new deadlines: of approval requests that were stored here, or of a run
   * that suspended without one.
   */
  setDeadlineListener(listener: (pending: readonly PendingApproval[]) => void): void {
    this.#onDeadline = listener;
  }

  /** Closes a suspended run that was not answered in time. */
  async expire(run: RunRef): Promise<void> {
    await this.#registry.runInMailbox(run.id, () => this.#registry.close(run, unanswered));
  }

  /** Stops a run in any status, at whichever node executes it. Resolves when it has ended. */
  cancel(run: Pick<RunRecord, "owner" | "id">): Promise<void> {
    return cancelRun(this.#context, run);
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
    if (outcome.status === "not_found" && deletion.type === "delete-run")
      this.stores.release([deletion.id]);
    if (outcome.status !== "deleted") return outcome;
    this.stores.release(outcome.runIds);
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
    headRunId: id,
  }: Pick<ConversationRecord, "owner" | "headRunId">): Promise<VariableSystem> {
    return id === null ? new VariableSystem() : variablesOfRun(this.#context, { owner, id });
  }

  /**
   * Returns the variables that an ended call of a program has changed, with their types, or
   * `undefined` if this process does not know them. A removed variable has no type.
   */
  changedVariables(runId: string): ReadonlyMap<string, VariableType | undefined> | undefined {
    return this.#registry.warm.changedBy(runId);
  }

  /**
   * Edits a conversation's variables from outside. They are stored when it resolves; if `edit` throws,
   * nothing changes. Returns `undefined` if the conversation does not exist any more.
   */
  editVariables(
    conversation: ConversationRecord,
    edit: (draft: VariableSystem) => void,
    options?: EditOptions,
  ): Promise<VariableSystem | undefined> {
    return editVariables(this.#context, conversation, edit, options);
  }

  /** Revokes a grant, also in the active runs. Returns `undefined` if there is no such grant. */
  async revokeGrant(owner: string, id: string): Promise<Revoked | undefined> {
    for (const store of this.stores.all) {
      const [outcome] = await store.write([{ type: "revoke-grant", owner, id }]);
      if (outcome.status !== "revoked") continue;
      this.#registry.grants.revoke(outcome.sessionId, id);
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

  /** Lists the runs that the previous server left. Call this before this server starts runs. */
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

  /** Refreshes every active run from the store, because other nodes' messages may be lost. */
  refreshAll(): void {
    this.#nodeMessages.refreshRuns();
  }

  /**
   * Starts no more runs, waits up to `graceMs` for active runs to end, then hands back the others for
   * the next server.
   *
   * @returns the number of durable runs that were handed back
   */
  async close(graceMs: number): Promise<number> {
    const handedBack = await this.#registry.handBack(graceMs);
    return handedBack.filter(({ store }) => store === this.store).length;
  }

  #deleteExpired({ id, owner }: Pick<RunRecord, "id" | "owner">): void {
    this.#remove({ type: "delete-run", owner, id }).catch((thrown: unknown) =>
      this.#options.log(`Run ${id} has expired and could not be deleted: ${errorMessage(thrown)}`),
    );
  }
}
