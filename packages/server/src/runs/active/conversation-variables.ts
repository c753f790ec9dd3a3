import type { VariablesOrigin } from "../request/new-run.ts";
import { type VariableChange, VariableSystem } from "@capstan/core";
import { newId } from "@capstan/core/host";
import {
  type ConversationRecord,
  isAccepted,
  type RunRecord,
  type RunVersion,
  type Store,
} from "@capstan/store";
import { BoundedCache, type CacheLimits } from "./bounded-cache.ts";
import { type CreateExecutor, evictedVariableSource, readVariables } from "./session.ts";

export interface ConversationVariablesOptions {
  readonly store: Store;
  readonly createExecutor: CreateExecutor;
  /** Of the cache. */
  readonly limits: CacheLimits;
}

interface CachedVariables {
  readonly version: RunVersion;
  readonly variables: VariableSystem;
}

/** The variables of runs that are not active: read, cached, and edited from outside. */
export class ConversationVariables {
  readonly #options: ConversationVariablesOptions;
  /** Of the runs that stopped last. Holds copies of the store: another node may have changed the run since. */
  readonly #cache: BoundedCache<CachedVariables>;

  constructor(options: ConversationVariablesOptions) {
    this.#options = options;
    this.#cache = new BoundedCache(options.limits);
  }

  /**
   * Returns the variables with which a run starts or resumes.
   *
   * @param run the claimed run; its variables are those of the epoch before
   * @param origin for a new run only; others have variables of their own
   */
  async forRun(
    run: RunVersion & Pick<RunRecord, "owner">,
    origin?: VariablesOrigin,
  ): Promise<VariableSystem> {
    const { store } = this.#options;
    const { id, owner } = run;
    const variables = this.#cachedFor(run, origin) ?? (await readVariables(store, owner, id));
    variables.source = evictedVariableSource(store, owner, id);
    return variables;
  }

  /**
   * Caches the variables of a run that stopped.
   *
   * @param version as it was claimed: after a later edit its variables are read again
   */
  cache({ id, epoch, edits }: RunVersion, variables: VariableSystem): void {
    const version = { id, epoch, edits };
    this.#cache.set(id, { version, variables }, variables.bytes);
  }

  /** Returns the cached variables of a run in this version. Other runs must fork them: siblings must not see each other's changes. */
  #cachedAt({ id, epoch, edits }: RunVersion): VariableSystem | undefined {
    const kept = this.#cache.get(id);
    const isSame = kept?.version.epoch === epoch && kept.version.edits === edits;
    return isSame ? kept.variables : undefined;
  }

  #cachedFor(run: RunVersion, origin?: VariablesOrigin): VariableSystem | undefined {
    if (origin === "nothing") return new VariableSystem();
    if (origin !== undefined) return this.#cachedAt(origin)?.fork();
    const own = this.#cachedAt({ ...run, epoch: run.epoch - 1 });
    // It is the run's alone, which changes it from now on.
    this.#cache.delete(run.id);
    return own;
  }

  /** Evicts the variables of runs that have been deleted. */
  evict(runIds: readonly string[]): void {
    for (const runId of runIds) this.#cache.delete(runId);
  }

  /** Reads a run's variables, with the rules that each session has. */
  async read(owner: string, runId: string): Promise<VariableSystem> {
    const run = await this.#options.store.getRun({ owner, id: runId });
    return run === undefined ? new VariableSystem() : this.#read(run);
  }

  /** @param run as read before: a change in between makes another version */
  async #read(run: RunRecord): Promise<VariableSystem> {
    const { store, createExecutor } = this.#options;
    const variables =
      this.#cachedAt(run)?.fork() ?? (await readVariables(store, run.owner, run.id));
    createExecutor({ variables });
    return variables;
  }

  /**
   * Edits the variables of a conversation's newest run. They are stored when it resolves; if `edit`
   * throws, nothing changes. Returns `undefined` if the conversation has a newer run.
   *
   * @param live the variables of the run in memory, if it is active
   */
  async edit(
    { owner, id }: Pick<ConversationRecord, "owner" | "id">,
    runId: string,
    edit: (draft: VariableSystem) => void,
    live?: VariableSystem,
  ): Promise<VariableSystem | undefined> {
    const { store } = this.#options;
    const run = live === undefined ? await store.getRun({ owner, id: runId }) : undefined;
    const variables = live ?? (run && (await this.#read(run)));
    if (variables === undefined) return undefined;
    const changes: VariableChange[] = [];
    const stop = variables.subscribe((change) => changes.push(change));
    try {
      edit(variables);
    } finally {
      stop();
    }
    const outcomes = await store.write([
      { type: "edit-variables", owner, runId, changes },
      // Not moved: only if it is still the newest, or its successor would not have the change.
      { type: "move-head", owner, id, from: runId, to: runId },
    ]);
    if (!outcomes.every(isAccepted)) return undefined;
    // Where it goes on at another node, that changes them, too; here it may be claimed and about to.
    if (run !== undefined && run.status !== "in_progress")
      this.cache({ ...run, edits: run.edits + 1 }, variables);
    else this.#cache.delete(runId);
    return variables;
  }

  /** Returns the run that holds a conversation's variables. Creates one for that if the conversation has no run. */
  async holder({ owner, id, headRunId }: ConversationRecord): Promise<string> {
    if (headRunId !== null) return headRunId;
    const runId = newId("resp_");
    const edit = { kind: "edit", status: "completed", model: "", request: {}, input: [] } as const;
    const { store } = this.#options;
    const outcomes = await store.write([
      { type: "create-run", run: { ...edit, id: runId, owner, conversationId: id } },
      { type: "move-head", owner, id, from: null, to: runId },
    ]);
    if (outcomes.every(isAccepted)) return runId;
    const now = await store.getConversation({ owner, id });
    if (now?.headRunId == null) throw new Error(`The variables of ${id} could not be changed.`);
    return now.headRunId;
  }
}
