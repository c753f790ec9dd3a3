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
import { closeOff, launch } from "./launch.ts";
import type { Overrides } from "../permissions/overrides.ts";
import { RunJournal } from "./run-journal.ts";
import type { StoredRunRequest } from "../request/run-request.ts";
import type { ServerLimits } from "../request/run-limits.ts";
import { type CreateExecutor, listGrants, readGrants } from "./session.ts";
import { TurnoverMap } from "./turnover-map.ts";

export interface ChainsOptions {
  readonly store: Store;
  /** Where grants are kept that hold in every session. */
  readonly grants: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  readonly variables: ConversationVariables;
  readonly overrides: Overrides;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** A person's word was kept that holds for more than one call. */
  readonly onGrant: (run: RunRecord, grant: Grant) => void;
  /** A question was kept, which expires then, or a run has parked. */
  readonly onWaits: (expiresAt: number) => void;
  readonly onEnd: (ended: EndedChain) => void;
}

export interface EndedChain {
  readonly run: RunRecord;
  /** It asks a person or a client. */
  readonly asks: boolean;
  /** Where it stopped, if the store has it as waiting, just so: what asks may as well have ended, or be another's by now. */
  readonly parked: ChainState | undefined;
  /** It waited, and its answer had come by then: it is queued. */
  readonly ready: boolean;
  /** Why the store did not take its end; undefined where it did, or where the run was handed back. */
  readonly lost: string | undefined;
}

/** A chain that goes on in this process. */
export interface LiveRun {
  readonly owner: string;
  readonly epoch: number;
  readonly chain: ToolChainRun;
  readonly variables: VariableSystem;
  /** Resolves once the chain's last word is written, and the run is not live any more. */
  readonly done: Promise<void>;
}

/** What a run begins with, or goes on with. */
export interface Given {
  readonly inputMessages?: readonly Message[];
  /** Messages of those that its journal has already. */
  readonly written?: readonly Message[];
  readonly resume?: ChainResume;
  /** Of a run that was made just now, and begins with nothing of its own. */
  readonly variablesOf?: VariablesOrigin;
}

interface Session {
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly journal: RunJournal;
}

interface Watched extends LiveRun {
  readonly sessionId: string;
  readonly grants: GrantBook;
  /** When it last showed that it is alive, in ms since the epoch. */
  shownAt: number;
}

/** The chains of the runs that go on in this process. A run is claimed before its chain is begun. */
export class Chains {
  readonly #options: ChainsOptions;
  readonly #live = new TurnoverMap<string, Watched>();
  /** How often grants changed, or may have: what was read before the last time is not used. */
  #grantChanges = 0;

  constructor(options: ChainsOptions) {
    this.#options = options;
  }

  get(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  entries(): readonly (readonly [string, LiveRun])[] {
    return [...this.#live];
  }

  async launch(run: RunRecord, given: Given): Promise<void> {
    const changes = this.#grantChanges;
    const [session, overrides] = await Promise.all([
      this.#session(run, given),
      this.#options.overrides.of(run.owner),
    ]);
    const options = { ...this.#options, run, ...session, overrides, ...given };
    this.#watch(run, session, await launch(options));
    // Who changed them meanwhile did not find it among those that go on.
    if (changes !== this.#grantChanges) void this.refreshGrants(run.owner);
  }

  /** Ends a run without doing anything of it; resolves when it has ended. */
  async closeOff(run: RunRecord, resume: ChainResume): Promise<void> {
    const session = await this.#session(run, {});
    this.#watch(run, session, closeOff({ run, resume, ...session }));
    await this.#live.get(run.id)?.done;
  }

  /** A run is claimed anew: what went on of it here is fenced, and has no say in it any more. */
  leave({ id, epoch }: Pick<RunRecord, "id" | "epoch">): void {
    const live = this.#live.get(id);
    if (live === undefined || live.epoch >= epoch) return;
    this.#live.delete(id);
    live.chain.detach("this run goes on anew");
  }

  /** A grant was given in one run: what else goes on in its session has it from now on. */
  shareGrant(run: RunRecord, grant: Grant): void {
    for (const [runId, live] of this.#live) {
      const isMeant = grant.scope === "always" || live.sessionId === run.sessionId;
      if (runId !== run.id && live.owner === run.owner && isMeant) live.grants.add(grant);
    }
  }

  /** A grant was revoked: what goes on must not use it any more. */
  forgetGrant(sessionId: string | null, grantId: string): void {
    this.#grantChanges += 1;
    for (const live of this.#live.values()) {
      if (sessionId === null || live.sessionId === sessionId) live.grants.revoke(grantId);
    }
  }

  /** Grants of a user's may have changed elsewhere: what goes on here has them as they are kept. */
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

  /** The users of whom something goes on here. */
  owners(): ReadonlySet<string> {
    return new Set([...this.#live.values()].map(({ owner }) => owner));
  }

  /** What goes on of a user's has these grants from now on, as far as they are for its session, and no others. */
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

  /** Takes a number in the run's stream, so that a client that waits sees that it is alive. */
  showAlive(runId: string): void {
    const { store, limits, log } = this.#options;
    const live = this.#live.get(runId);
    const at = Date.now();
    // Everybody who watches asks at about the same time: one sign is enough for them all.
    if (live === undefined || at - live.shownAt < limits.heartbeatMs / 2) return;
    live.shownAt = at;
    const { epoch } = live;
    const writes = [{ type: "event", event: { type: "run.heartbeat", at } }] as const;
    store
      .write([{ type: "journal", runId, epoch, writes }])
      .catch((thrown: unknown) =>
        log(`Run ${runId} could not show that it is alive: ${errorMessage(thrown)}`),
      );
  }

  async #session(run: RunRecord, { written = [], variablesOf }: Given): Promise<Session> {
    const { store, grants: kept, onWaits } = this.#options;
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
    const tells = { onGrant, onWaits, onFenced };
    const journal = new RunJournal({ store, grants: kept, run, waits, written, ...tells });
    return { variables, grants, journal };
  }

  #watch(run: RunRecord, { variables, grants, journal }: Session, chain: ToolChainRun): void {
    const { log, onEnd } = this.#options;
    const done = chain.result.then(({ error, waiting, state }) => {
      // One that was left has ended long after its run went on without it.
      if (this.#live.get(run.id)?.chain !== chain) return;
      this.#live.delete(run.id);
      if (journal.settled) this.#options.variables.keep(run, variables);
      if (error?.code === "journal_failed" || error?.code === "internal")
        log(`Run ${run.id} failed: ${error.message}`);
      const lost =
        journal.settled || error?.code === "detached"
          ? undefined
          : (journal.failure ?? "its end could not be written");
      // What it took over counts in it, and is not in its own journal.
      const { adopts } = run.request as unknown as StoredRunRequest;
      const parked = journal.parked && !adopts ? state : undefined;
      onEnd({ run, asks: waiting.length > 0, parked, ready: journal.ready, lost });
    });
    const { epoch, sessionId, owner } = run;
    this.#live.set(run.id, { epoch, sessionId, owner, chain, variables, grants, shownAt: 0, done });
  }
}
