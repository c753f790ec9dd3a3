import type {
  ChainState,
  Clock,
  Grant,
  GrantBook,
  Message,
  ToolChainRun,
  VariableSystem,
} from "@capstan/core";
import { type ChainResume, errorMessage, type ModelCatalog } from "@capstan/core/host";
import type { GrantRecord, RunRecord, Store } from "@capstan/store";
import type { ConversationVariables } from "./conversation-variables.ts";
import type { VariablesOrigin } from "../request/new-run.ts";
import { closeChain, launch } from "./launch.ts";
import type { Overrides } from "../permissions/overrides.ts";
import { RunJournal } from "./run-journal.ts";
import type { StoredRunRequest } from "../request/run-request.ts";
import type { ServerLimits } from "../request/run-limits.ts";
import { type CreateExecutor, listGrants, readGrants } from "./session.ts";
import { ReclaimingMap } from "./reclaiming-map.ts";

export interface ActiveRunsOptions {
  readonly store: Store;
  /** The store of the grants that hold in every session. */
  readonly grants: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  readonly variables: ConversationVariables;
  readonly overrides: Overrides;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Called after a grant has been stored. */
  readonly onGrant: (run: RunRecord, grant: Grant) => void;
  /** Called after an approval request, which expires at that time, has been stored, and when a run has suspended. */
  readonly onDeadline: (expiresAt: number) => void;
  readonly onEnd: (ended: EndedRun) => void;
}

export interface EndedRun {
  readonly run: RunRecord;
  /** It waits for a user or a client. */
  readonly isWaiting: boolean;
  /** Its chain's state if the store has it as suspended; it may have ended or have another owner since. */
  readonly suspendedState: ChainState | undefined;
  /** Its answer came before it suspended, so it is queued. */
  readonly isQueued: boolean;
  /** Why the store did not commit its end; undefined if it did, or if the run was handed back. */
  readonly closeFailure: string | undefined;
}

/** A run that executes in this process. */
export interface ActiveRun {
  readonly owner: string;
  readonly epoch: number;
  readonly chain: ToolChainRun;
  readonly variables: VariableSystem;
  /** Resolves after the chain's last write, when the run is not active any more. */
  readonly done: Promise<void>;
}

/** The input with which a run starts or resumes. */
export interface LaunchInput {
  readonly inputMessages?: readonly Message[];
  /** Those of the messages that are in its journal already. */
  readonly written?: readonly Message[];
  readonly resume?: ChainResume;
  /** The origin of the variables of a new run, which has none of its own. */
  readonly variablesOf?: VariablesOrigin;
}

interface Session {
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly journal: RunJournal;
}

interface ActiveEntry extends ActiveRun {
  readonly sessionId: string;
  readonly grants: GrantBook;
  /** Time of its last heartbeat, in ms since the epoch. */
  heartbeatAt: number;
}

/** The runs that execute in this process. A run is claimed before its chain is launched. */
export class ActiveRuns {
  readonly #options: ActiveRunsOptions;
  readonly #live = new ReclaimingMap<string, ActiveEntry>();
  /** Counts possible changes of grants: a read that began before the last change is stale. */
  #grantChanges = 0;

  constructor(options: ActiveRunsOptions) {
    this.#options = options;
  }

  get(runId: string): ActiveRun | undefined {
    return this.#live.get(runId);
  }

  entries(): readonly (readonly [string, ActiveRun])[] {
    return [...this.#live];
  }

  async launch(run: RunRecord, given: LaunchInput): Promise<void> {
    const changes = this.#grantChanges;
    const [session, overrides] = await Promise.all([
      this.#session(run, given),
      this.#options.overrides.of(run.owner),
    ]);
    const options = { ...this.#options, run, ...session, overrides, ...given };
    this.#watch(run, session, await launch(options));
    // A change in the meantime did not find this run among the active ones.
    if (changes !== this.#grantChanges) void this.refreshGrants(run.owner);
  }

  /** Ends a run without running any of its calls; resolves when it has ended. */
  async close(run: RunRecord, resume: ChainResume): Promise<void> {
    const session = await this.#session(run, {});
    this.#watch(run, session, closeChain({ run, resume, ...session }));
    await this.#live.get(run.id)?.done;
  }

  /** Detaches the chain of a run that has been claimed anew: its older epoch is fenced. */
  detachStale({ id, epoch }: Pick<RunRecord, "id" | "epoch">): void {
    const live = this.#live.get(id);
    if (live === undefined || live.epoch >= epoch) return;
    this.#live.delete(id);
    live.chain.detach("this run goes on anew");
  }

  /** Adds a grant that was given in one run to the other active runs for which it holds. */
  shareGrant(run: RunRecord, grant: Grant): void {
    for (const [runId, live] of this.#live) {
      const isMeant = grant.scope === "always" || live.sessionId === run.sessionId;
      if (runId !== run.id && live.owner === run.owner && isMeant) live.grants.add(grant);
    }
  }

  /** Revokes a grant in the active runs. */
  revokeGrant(sessionId: string | null, grantId: string): void {
    this.#grantChanges += 1;
    for (const live of this.#live.values()) {
      if (sessionId === null || live.sessionId === sessionId) live.grants.revoke(grantId);
    }
  }

  /** Reloads the grants of a user's active runs, as another node may have changed them. */
  async refreshGrants(owner: string): Promise<void> {
    const { store, grants: kept, log } = this.#options;
    this.#grantChanges += 1;
    try {
      while (this.owners().has(owner)) {
        const changes = this.#grantChanges;
        const records = await listGrants([kept, store], owner);
        // It may have what was revoked since, or lack what was given.
        if (changes !== this.#grantChanges) continue;
        this.#replaceGrants(owner, records);
        return;
      }
    } catch (thrown) {
      log(`What ${owner} allows cannot be read: ${errorMessage(thrown)}`);
    }
  }

  /** The owners of the active runs. */
  owners(): ReadonlySet<string> {
    return new Set([...this.#live.values()].map(({ owner }) => owner));
  }

  /** Replaces the grants of a user's active runs by these, each run's by those that hold in its session. */
  #replaceGrants(owner: string, records: readonly GrantRecord[]): void {
    for (const live of this.#live.values()) {
      if (live.owner !== owner) continue;
      const meant = records.filter(
        ({ sessionId }) => (sessionId ?? live.sessionId) === live.sessionId,
      );
      const now = new Map(meant.map(({ grant }) => [grant.id, grant]));
      for (const { id } of live.grants.list()) if (!now.delete(id)) live.grants.revoke(id);
      for (const grant of now.values()) live.grants.add(grant);
    }
  }

  /** Writes a heartbeat event, which takes a sequence number, so that a waiting client sees that the run is alive. */
  writeHeartbeat(runId: string): void {
    const { store, limits, log } = this.#options;
    const live = this.#live.get(runId);
    const at = Date.now();
    // All readers ask at about the same time: one heartbeat is enough for them.
    if (live === undefined || at - live.heartbeatAt < limits.heartbeatMs / 2) return;
    live.heartbeatAt = at;
    const { epoch } = live;
    const writes = [{ type: "event", event: { type: "run.heartbeat", at } }] as const;
    store
      .write([{ type: "journal", runId, epoch, writes }])
      .catch((thrown: unknown) =>
        log(`Run ${runId} could not show that it is alive: ${errorMessage(thrown)}`),
      );
  }

  async #session(run: RunRecord, { written = [], variablesOf }: LaunchInput): Promise<Session> {
    const { store, grants: kept, onDeadline } = this.#options;
    const { owner, sessionId } = run;
    const [variables, grants] = await Promise.all([
      this.#options.variables.forRun(run, variablesOf),
      readGrants([store, kept], owner, sessionId),
    ]);
    const waits = run.request as unknown as StoredRunRequest;
    const onGrant = (grant: Grant) => {
      this.#grantChanges += 1;
      // What was read from the store before it was kept did not have it.
      if (!grants.list().includes(grant)) grants.add(grant);
      this.#options.onGrant(run, grant);
    };
    const onFenced = (reason: string) =>
      this.#options.log(
        `Run ${run.id}: what this server still said of it was not taken. ${reason}`,
      );
    const tells = { onGrant, onDeadline, onFenced };
    const journal = new RunJournal({ store, grants: kept, run, waits, written, ...tells });
    return { variables, grants, journal };
  }

  #watch(run: RunRecord, { variables, grants, journal }: Session, chain: ToolChainRun): void {
    const { log, onEnd } = this.#options;
    const done = chain.result.then(({ error, waiting, state }) => {
      // A detached chain ends after its run has been claimed anew.
      if (this.#live.get(run.id)?.chain !== chain) return;
      this.#live.delete(run.id);
      if (journal.settled) this.#options.variables.cache(run, variables);
      if (error?.code === "journal_failed" || error?.code === "internal")
        log(`Run ${run.id} failed: ${error.message}`);
      const closeFailure =
        journal.settled || error?.code === "detached"
          ? undefined
          : (journal.failure ?? "its end could not be written");
      // A turn that it took over counts in its state, but is not in its own journal.
      const { adopts } = run.request as unknown as StoredRunRequest;
      const suspendedState = journal.suspended && !adopts ? state : undefined;
      onEnd({
        run,
        isWaiting: waiting.length > 0,
        suspendedState,
        isQueued: journal.ready,
        closeFailure,
      });
    });
    const { epoch, sessionId, owner } = run;
    this.#live.set(run.id, {
      epoch,
      sessionId,
      owner,
      chain,
      variables,
      grants,
      heartbeatAt: 0,
      done,
    });
  }
}
