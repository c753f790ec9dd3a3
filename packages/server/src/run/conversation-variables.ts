import { newId, type VariableChange, VariableSystem } from "@capstan/core";
import type { ConversationRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import { isAccepted } from "../journal/store-write.ts";
import { Newest } from "./newest.ts";
import { type CreateExecutor, evictedOf, readVariables } from "./session.ts";

export interface ConversationVariablesOptions {
  readonly store: Store;
  readonly createExecutor: CreateExecutor;
  /** Sessions that are kept at hand. */
  readonly warm: number;
}

/** The variables of runs that do not go on: read, kept at hand, and changed from outside. */
export class ConversationVariables {
  readonly #options: ConversationVariablesOptions;
  /** Of the runs that stopped last. Only a copy of what the store has; each gets its own, as siblings must not see what it changes. */
  readonly #warm: Newest<VariableSystem>;

  constructor(options: ConversationVariablesOptions) {
    this.#options = options;
    this.#warm = new Newest(options.warm);
  }

  /** What a run begins with: its own where it goes on, else its parent's. */
  async forRun(run: {
    readonly id: string;
    readonly owner: string;
    readonly from: string | null;
    /** There is nothing to read. */
    readonly isNew: boolean;
  }): Promise<VariableSystem> {
    const { store } = this.#options;
    // Its own first: a person may have changed them before it went on.
    const warm = (this.#warm.get(run.id) ?? this.#warm.get(run.from ?? ""))?.fork();
    const variables =
      warm ?? (run.isNew ? new VariableSystem() : await readVariables(store, run.owner, run.id));
    variables.source = evictedOf(store, run.owner, run.id);
    return variables;
  }

  /** A run stopped: its variables as it leaves them. */
  keep(runId: string, variables: VariableSystem): void {
    this.#warm.put(runId, variables);
  }

  /** The runs are deleted, and what they knew with them. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#warm.drop(runId);
  }

  /** With the rules that every session has. */
  async read(owner: string, runId: string): Promise<VariableSystem> {
    const { store, createExecutor } = this.#options;
    const variables = this.#warm.get(runId)?.fork() ?? (await readVariables(store, owner, runId));
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
    const variables = live ?? (await this.read(owner, runId));
    const changes: VariableChange[] = [];
    const stop = variables.subscribe((change) => changes.push(change));
    try {
      edit(variables);
    } finally {
      stop();
    }
    const outcomes = await this.#options.store.write([
      { type: "edit-variables", owner, runId, changes },
      // Not moved: only if it is still the newest, or its successor would not have the change.
      { type: "move-head", owner, id, from: runId, to: runId },
    ]);
    if (!outcomes.every(isAccepted)) return undefined;
    if (live === undefined) this.#warm.put(runId, variables);
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
