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
import { Newest, type NewestLimits } from "./newest.ts";
import { type CreateExecutor, evictedOf, readVariables } from "./session.ts";

export interface ConversationVariablesOptions {
  readonly store: Store;
  readonly createExecutor: CreateExecutor;
  /** Of what is kept at hand. */
  readonly limits: NewestLimits;
}

interface Kept {
  readonly version: RunVersion;
  readonly variables: VariableSystem;
}

/** The variables of runs that do not go on: read, kept at hand, and changed from outside. */
export class ConversationVariables {
  readonly #options: ConversationVariablesOptions;
  /** Of the runs that stopped last. Only a copy of what the store had then: another node may have changed it since. */
  readonly #kept: Newest<Kept>;

  constructor(options: ConversationVariablesOptions) {
    this.#options = options;
    this.#kept = new Newest(options.limits);
  }

  /**
   * What a run begins or goes on with.
   *
   * @param run claimed: it rested in the epoch before
   * @param origin of a run that was made just now; others have their own
   */
  async forRun(
    run: RunVersion & Pick<RunRecord, "owner">,
    origin?: VariablesOrigin,
  ): Promise<VariableSystem> {
    const { store } = this.#options;
    const { id, owner } = run;
    const variables = this.#known(run, origin) ?? (await readVariables(store, owner, id));
    variables.source = evictedOf(store, owner, id);
    return variables;
  }

  /**
   * A run stopped: its variables as it leaves them.
   *
   * @param version as it was claimed: with what was changed from outside since, its variables are read again
   */
  keep({ id, epoch, edits }: RunVersion, variables: VariableSystem): void {
    const version = { id, epoch, edits };
    this.#kept.put(id, { version, variables }, variables.bytes);
  }

  /** What is kept of a run, where it is still in this state. Another run gets a copy: siblings must not see what one changes. */
  #keptAt({ id, epoch, edits }: RunVersion): VariableSystem | undefined {
    const kept = this.#kept.get(id);
    const isSame = kept?.version.epoch === epoch && kept.version.edits === edits;
    return isSame ? kept.variables : undefined;
  }

  #known(run: RunVersion, origin?: VariablesOrigin): VariableSystem | undefined {
    if (origin === "nothing") return new VariableSystem();
    if (origin !== undefined) return this.#keptAt(origin)?.fork();
    const own = this.#keptAt({ ...run, epoch: run.epoch - 1 });
    // It is the run's alone, which changes it from now on.
    this.#kept.drop(run.id);
    return own;
  }

  /** The runs are deleted, and what they knew with them. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#kept.drop(runId);
  }

  /** With the rules that every session has. */
  async read(owner: string, runId: string): Promise<VariableSystem> {
    const run = await this.#options.store.getRun({ owner, id: runId });
    return run === undefined ? new VariableSystem() : this.#read(run);
  }

  /** @param run read before: what is changed in between makes it another version */
  async #read(run: RunRecord): Promise<VariableSystem> {
    const { store, createExecutor } = this.#options;
    const variables = this.#keptAt(run)?.fork() ?? (await readVariables(store, run.owner, run.id));
    createExecutor({ variables });
    return variables;
  }

  /**
   * Changes what a conversation's newest run holds. Kept once it resolves; what `edit` throws
   * changes nothing. Undefined where the conversation has moved on from that run.
   *
   * @param live the run's own, where it goes on
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
      this.keep({ ...run, edits: run.edits + 1 }, variables);
    else this.#kept.drop(runId);
    return variables;
  }

  /** The run that holds a conversation's variables; where nothing has run, one that only does that. */
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
