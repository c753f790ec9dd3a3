import { setTimeout as sleep } from "node:timers/promises";
import type { ChainError, Clock, Grant } from "@capstan/core";
import { errorMessage, type ModelCatalog } from "@capstan/core/host";
import {
  type ApprovalRecord,
  type ClaimedRun,
  type PendingApproval,
  requestOf,
  type RunRecord,
  type RunRef,
} from "@capstan/store";
import type { Slots } from "../dispatch/dispatcher.ts";
import { isProgramCall } from "../request/program-call.ts";
import type { ServerLimits } from "../request/run-limits.ts";
import type { RunStores } from "./run-stores.ts";
import { ActiveRun, Mailboxes, type RunEnd, type RunSession } from "./active-run.ts";
import { claimOrphan, claimRun, crashesItsServers } from "./claim-run.ts";
import {
  closeFailureMessage,
  closeRun,
  isUnclosed,
  type OwnedRun,
  type RunEnding,
} from "./close-run.ts";
import { HistoryBudget } from "./history-budget.ts";
import { closeChain, type CreateExecutor, prepareChain } from "./launch.ts";
import { type LaunchInput, readClaimed, readEnding, type Restored, restoreRun } from "./restore.ts";
import type { RequestServers } from "@capstan/contract";
import { type Overrides, readGrants, RunGrants } from "./run-permissions.ts";
import type { ToolSearch } from "../../tool-search/tool-search.ts";
import type { AttachmentTools } from "../files/attachment-tools.ts";
import type { DocumentCache } from "../files/document-text.ts";
import { RunJournal } from "./run-journal.ts";
import { restoreVariables } from "./run-variables.ts";
import { type WarmRun, WarmRuns } from "./warm-runs.ts";

export interface RunRegistryOptions {
  readonly stores: RunStores;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** Converts documents for models that do not take them. @default none */
  readonly documents?: DocumentCache | undefined;
  /** Hidden tools for files that a model does not take. @default none */
  readonly attachmentTools?: AttachmentTools | undefined;
  /** Finds tools whose definitions are not shown to the model. */
  readonly toolSearch: ToolSearch;
  /** Connects to the MCP servers that requests name. @default such tools are not offered */
  readonly requestServers?: RequestServers | undefined;
  readonly overrides: Overrides;
  readonly slots: Slots;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Called after a grant has been stored. */
  readonly onGrant: (run: RunRecord, grant: Grant) => void;
  /** Called after an approval request, which expires at that time, has been stored, and when a run has suspended. */
  readonly onDeadline: (pending: readonly PendingApproval[]) => void;
  /**
   * Called when a run has left the registry. `isQueued` if its answer came before it suspended.
   */
  readonly onOver: (
    run: RunRecord,
    end: { readonly isWaiting: boolean; readonly isQueued: boolean },
  ) => void;
}

/** Pauses before each try to close a run; the last one repeats. */
const closePausesMs = [0, 250, 1_000, 5_000, 30_000, 120_000] as const;

/** Minimum pause between two comparisons with the store, in milliseconds. */
const orphanCheckMs = 5_000;

const interrupted: ChainError = {
  code: "interrupted",
  message:
    "The server crashed repeatedly at the same step of this run, so the run was closed. Its completed steps are stored.",
  phase: "chain",
};

const crashing =
  "The server crashed repeatedly while it loaded this run, so the run was closed without reading its contents. Start it again.";

/**
 * The claimed runs of this process: one `ActiveRun` each, see the comment at the start of
 * `active-run.ts`.
 */
export class RunRegistry {
  readonly #options: RunRegistryOptions;
  readonly #runs = new Map<string, ActiveRun>();
  readonly #mailboxes = new Mailboxes();
  /** Runs that a commit in progress may claim for this process. */
  readonly #expected = new Map<string, number>();
  /** Cache of the runs that stopped in this process. */
  readonly warm: WarmRuns;
  readonly grants: RunGrants;
  /** The histories that the active runs have in memory. */
  readonly #histories: HistoryBudget;
  #isStopping = false;
  #orphansCheckedAt = -Infinity;

  constructor(options: RunRegistryOptions) {
    const { limits, stores, log } = options;
    this.#options = options;
    this.#histories = new HistoryBudget(limits);
    this.warm = new WarmRuns({ maxEntries: limits.warmSessions, maxBytes: limits.warmBytes });
    this.grants = new RunGrants({ runs: () => this.#runs.values(), stores: stores.all, log });
  }

  get(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** The runs in the phases `restoring` and `running`: each has a slot. */
  active(): readonly ActiveRun[] {
    return [...this.#runs.values()].filter(({ phase }) => phase !== "closing");
  }

  isActive(runId: string): boolean {
    const phase = this.#runs.get(runId)?.phase;
    return phase === "restoring" || phase === "running";
  }

  get size(): number {
    return this.#runs.size;
  }

  /** The number of runs with a command that runs or waits. */
  get busy(): number {
    return this.#mailboxes.size;
  }

  /** Whether this process is stopping and claims nothing more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Executes a command in a run's mailbox, whether the run is active or not. The command must not
   * wait for a later command of the same run.
   */
  runInMailbox<T>(runId: string, command: () => Promise<T>): Promise<T> {
    return this.#mailboxes.post(runId, command);
  }

  /**
   * Executes a commit that may claim a run for this process. Until it returns, the run does not
   * count as an orphan.
   */
  async claimDuring<T>(runId: string, commit: () => Promise<T>): Promise<T> {
    this.#expected.set(runId, (this.#expected.get(runId) ?? 0) + 1);
    try {
      return await commit();
    } finally {
      const left = (this.#expected.get(runId) ?? 0) - 1;
      if (left > 0) this.#expected.set(runId, left);
      else this.#expected.delete(runId);
    }
  }

  /** Claims a run without an owner and resumes it, or closes it if it seems to crash its servers. */
  claim(ref: RunRef): Promise<void> {
    return this.runInMailbox(ref.id, async () => {
      const isOrphan = ref.status === "in_progress";
      if (isOrphan && this.#runs.get(ref.id)?.epoch === ref.epoch) return;
      const { stores, clock } = this.#options;
      const store = stores.of(ref.id);
      const claimed = await (isOrphan ? claimOrphan(store, ref, clock) : claimRun(store, ref));
      if (claimed === undefined) return;
      const { maxCrashes } = this.#options.limits;
      // If the events cannot be read, restoring the run fails too, which closes it.
      const crashes = await crashesItsServers(store, claimed, maxCrashes).catch(() => false);
      if (crashes) await this.#close(this.#enter(claimed), { unread: crashing }, {});
      else await this.#resume(claimed);
    });
  }

  /**
   * Resumes a run that a commit claimed for this process.
   *
   * @param answer the answer with which it was claimed, if there was one
   */
  resume(claimed: ClaimedRun, answer?: ApprovalRecord): Promise<void> {
    return this.runInMailbox(claimed.id, () => this.#resume(claimed, answer));
  }

  /** Starts a run that this process has created. */
  begin(run: RunRecord, read: () => Promise<LaunchInput>): Promise<void> {
    return this.runInMailbox(run.id, async () => {
      // If the response to the commit was very late, the run may already have been claimed as an
      // orphan.
      if (this.#runs.has(run.id)) return;
      const active = this.#enter(run);
      const restore = () =>
        this.#restore(active, {}, async () => ({ run, writes: [], input: await read() }));
      if (run.parentId === null || isProgramCall(requestOf(run))) await restore();
      else await this.#whenHistoryFits(active, restore);
    });
  }

  /**
   * Claims a run and closes it, in the run's mailbox. Retries in the background if that fails.
   *
   * @returns false if another node claimed it first, or if it has ended
   */
  async close(ref: OwnedRun, why: ChainError): Promise<boolean> {
    const claimed = await claimRun(this.#options.stores.of(ref.id), ref);
    if (claimed === undefined) return false;
    const warm = this.warm.take(claimed);
    await this.#close(this.#enter(claimed), { why }, warm);
    return true;
  }

  /**
   * Claims nothing more, waits up to `graceMs` for active runs to end, then hands back the others for
   * the next server, and returns them.
   */
  async handBack(graceMs: number): Promise<readonly ActiveRun[]> {
    this.#isStopping = true;
    const all = Promise.all(this.active().map(({ stopped }) => stopped));
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(graceMs, resolve);
    await Promise.race([all, over]);
    cancel();
    const left = this.active();
    for (const run of left) {
      const { id: runId, epoch, store } = run;
      this.#detach(run, "the server is stopping");
      try {
        await store.write([{ type: "set-status", runId, status: "queued", epoch }]);
      } catch (thrown) {
        // The next server finds it in progress, as after a crash.
        this.#options.log(`Run ${runId} could not be handed back: ${errorMessage(thrown)}`);
      }
    }
    return left;
  }

  /**
   * Returns this node's runs in progress that the registry does not have, for example because the
   * response to the commit that claimed them was lost. No other node claims them while this one counts
   * as alive. Compares at most every five seconds.
   */
  async findOrphans(): Promise<readonly RunRef[]> {
    const { stores, clock } = this.#options;
    const self = stores.durable.nodes?.self;
    const sinceCheck = clock.monotonic() - this.#orphansCheckedAt;
    if (self === undefined || sinceCheck < orphanCheckMs) return [];
    this.#orphansCheckedAt = clock.monotonic();
    const own = await stores.durable.everyRunOf({ node: self });
    // If a run ended during the read, the claim fails because its epoch or status has changed.
    return own.filter(
      ({ id }) => !this.#runs.has(id) && !this.#mailboxes.has(id) && !this.#expected.has(id),
    );
  }

  /** Adds a claimed run, and detaches an older, fenced claim of it. */
  #enter(claimed: OwnedRun): ActiveRun {
    const { stores, limits, clock, log } = this.#options;
    const older = this.#runs.get(claimed.id);
    const run = new ActiveRun({
      claimed,
      store: stores.of(claimed.id),
      heartbeatMs: limits.heartbeatMs,
      clock,
      post: (command) => this.runInMailbox(claimed.id, command),
      onEnd: (ended, session, end) => this.#ended(ended, session, end),
      log,
    });
    this.#runs.set(run.id, run);
    older?.detach("this run was claimed again");
    return run;
  }

  #detach(run: ActiveRun, reason: string): void {
    run.detach(reason);
    this.#remove(run);
  }

  /** Removes a run that is over, and releases its slot. */
  #remove(run: ActiveRun): void {
    if (this.#runs.get(run.id) !== run) return;
    this.#runs.delete(run.id);
    this.#release(run.id);
  }

  async #resume(claimed: ClaimedRun, answer?: ApprovalRecord): Promise<void> {
    const newer = (this.#runs.get(claimed.id)?.epoch ?? 0) > claimed.epoch;
    if (newer) return;
    const { stores, limits } = this.#options;
    const warm = this.warm.take(claimed);
    const active = this.#enter(claimed);
    const restore = () =>
      this.#restore(active, warm, () =>
        restoreRun(stores.of(claimed.id), claimed, { warm, answer, maxCrashes: limits.maxCrashes }),
      );
    // A cached record is of a run without ancestors, and its chain is in memory.
    if (warm.run !== undefined) await restore();
    else await this.#whenHistoryFits(active, restore);
  }

  /**
   * Restores a run when the budget has room for its history. Until then the run waits outside its
   * mailbox, so that it delays no command, and nothing of its history is read.
   */
  async #whenHistoryFits(active: ActiveRun, restore: () => Promise<void>): Promise<void> {
    const { id, owner, store } = active;
    const { bytesOfOne: limit } = this.#options.limits;
    // A history over the limit, or of unknown size, counts as the whole share.
    const bytes = await store.historyBytes({ owner, runId: id, limit }).catch(() => limit);
    const room = this.#histories.acquire({ id, owner, bytes });
    if (room === undefined) return restore();
    active.setCancelListener(() => this.#histories.release(id));
    void room.then(() =>
      this.runInMailbox(id, async () => {
        // A stopping server hands the run back.
        if (active.phase !== "restoring" || this.#isStopping) return;
        const { cancelled } = active;
        if (cancelled === undefined) return restore();
        const why: ChainError = { code: "aborted", message: cancelled, phase: "chain" };
        await this.#close(active, { why }, {});
      }),
    );
  }

  /** Releases the slot and the memory of a run that no longer executes here. */
  #release(runId: string): void {
    this.#histories.release(runId);
    this.#options.slots.release(runId);
  }

  async #restore(
    active: ActiveRun,
    warm: WarmRun,
    read: () => Promise<Restored | "stale" | "crashing">,
  ): Promise<void> {
    try {
      const restored = await read();
      if (restored === "crashing") return await this.#close(active, this.#interruptedEnding(), {});
      const isOurs = restored !== "stale" && (await this.#write(active, restored.writes));
      if (isOurs) await this.#launch(active, restored, warm);
      if (active.phase === "restoring") this.#detach(active, "another node owns this run");
    } catch (thrown) {
      const message = `The run could not be started: ${errorMessage(thrown)}`;
      this.#options.log(`${active.id}: ${message}`);
      await this.#close(active, { why: { code: "internal", message, phase: "chain" } }, {});
    }
  }

  async #launch(active: ActiveRun, { run, input }: Restored, warm: WarmRun): Promise<void> {
    const { stores, models, createExecutor, limits, documents, clock } = this.#options;
    const { attachmentTools, toolSearch, requestServers, log } = this.#options;
    const { changes } = this.grants;
    const [session, overrides] = await Promise.all([
      this.#session(run, input, warm),
      this.#options.overrides.of(run.owner),
    ]);
    const { store } = active;
    const isInMemory = store === stores.memory;
    const common = {
      store,
      isInMemory,
      models,
      createExecutor,
      limits,
      documents,
      attachmentTools,
      toolSearch,
      requestServers,
      clock,
      log,
      overrides,
    };
    const startChain = await prepareChain({ ...common, ...session, ...input });
    active.start(session, startChain);
    // Grants that changed in the meantime were not applied to this run, because it was not running
    // yet.
    if (changes !== this.grants.changes) void this.grants.refresh(run.owner);
  }

  async #session(run: RunRecord, input: LaunchInput, warm: WarmRun): Promise<RunSession> {
    const { stores, onDeadline, log } = this.#options;
    const store = stores.of(run.id);
    const own = warm.variables ?? input.variables;
    const [variables, grants] = await Promise.all([
      restoreVariables({ store, warm: this.warm }, run, {
        ...(own && { own }),
        origin: input.variablesOf,
      }),
      readGrants([store, stores.durable], run.owner, run.sessionId),
    ]);
    const journal = new RunJournal({
      store,
      grants: stores.durable,
      run,
      waits: requestOf(run),
      written: input.written ?? [],
      // Only these calls add their changes to a conversation. A list of a run that another process
      // started would lack its earlier changes.
      ...(input.variables !== undefined &&
        isProgramCall(requestOf(run)) && { changed: this.warm.listChanges(run.id) }),
      onGrant: (grant) => {
        this.grants.share(run, grant);
        this.#options.onGrant(run, grant);
      },
      onDeadline,
      onFenced: (reason) => {
        const report = (isStored = true) => {
          // A run that was not created is not an error: another one may have its key.
          if (isStored)
            log(`Run ${run.id}: the store rejected a late write of this server: ${reason}`);
        };
        if (input.isStored === undefined) report();
        else void input.isStored.then(report);
      },
    });
    return { run, variables, grants, journal };
  }

  #ended(active: ActiveRun, session: RunSession, end: RunEnd): void {
    const { onOver } = this.#options;
    if (this.#runs.get(active.id) !== active) return;
    if (end.status === "lost") {
      this.#release(active.id);
      const why: ChainError = { code: "journal_failed", message: end.reason, phase: "chain" };
      void this.#closeLater(active, { why });
      return;
    }
    const { run, variables, journal } = session;
    if (end.status === "stored") {
      // The state includes a turn that the run took over, but the run's own journal does not.
      const request = requestOf(run);
      const state = request.adopts || !journal.end.suspended ? undefined : end.state;
      // No run continues a program's call that has ended.
      if (state !== undefined || !isProgramCall(request)) this.warm.set(run, variables, state);
    }
    this.#remove(active);
    const { isWaiting, isQueued } = end.status === "stored" ? end : atRest;
    onOver(run, { isWaiting, isQueued });
  }

  /** Closes a run in its epoch. If that fails, closes it in the background in a new one. */
  async #close(active: ActiveRun, ending: RunEnding, warm: WarmRun): Promise<void> {
    if (this.#runs.get(active.id) !== active) return;
    active.close();
    this.#release(active.id);
    if (await this.#closeOnce(active, ending, 0, warm)) this.#remove(active);
    else void this.#closeLater(active, ending);
  }

  async #closeLater(active: ActiveRun, ending: RunEnding): Promise<void> {
    const isClosing = () => this.#runs.get(active.id) === active && !this.#isStopping;
    for (let tries = 0; isClosing(); tries++) {
      const pauseMs = closePausesMs[Math.min(tries, closePausesMs.length - 1)];
      await sleep(pauseMs, undefined, { ref: false });
      await this.runInMailbox(active.id, async () => {
        if (isClosing() && (await this.#closeInNewEpoch(active, ending, tries)))
          this.#remove(active);
      });
    }
  }

  /** @returns whether nothing is left to close */
  async #closeInNewEpoch(active: ActiveRun, ending: RunEnding, tries: number): Promise<boolean> {
    const { store } = active;
    try {
      if (!(await isUnclosed(store, active))) return true;
      const claimed = await claimRun(store, active);
      if (claimed === undefined) return true;
      active.close(claimed.epoch);
      return await this.#closeOnce(active, ending, tries, {});
    } catch (thrown) {
      this.#options.log(closeFailureMessage(active, thrown));
      return false;
    }
  }

  #closeOnce(run: ActiveRun, ending: RunEnding, tries: number, warm: WarmRun): Promise<boolean> {
    const { clock, log } = this.#options;
    const end = async ({ why, notices = [] }: Extract<RunEnding, { why: unknown }>) => {
      const record = { ...(await readClaimed(run.store, run)), epoch: run.epoch };
      const { writes, resume } = await readEnding(run.store, record, why);
      if (!(await this.#write(run, [...writes, ...notices]))) return;
      const session = await this.#session(record, {}, warm);
      await closeChain({ ...session, resume }).result;
      if (!session.journal.end.settled) return;
      this.warm.set(record, session.variables);
      this.#options.onOver(record, atRest);
    };
    return closeRun({ store: run.store, run, ending, tries, end, clock, log });
  }

  /** If the run seems to crash its servers, an event records that. */
  #interruptedEnding(): RunEnding {
    const { message } = interrupted;
    const event = {
      type: "run.interrupted",
      at: this.#options.clock.now(),
      message,
    } as const;
    return { why: interrupted, notices: [{ type: "event", event }] };
  }

  /** @returns false if the run has been claimed again */
  async #write(
    { id: runId, epoch, store }: ActiveRun,
    writes: Restored["writes"],
  ): Promise<boolean> {
    if (writes.length === 0) return true;
    const journal = { type: "journal", runId, epoch, writes } as const;
    const [{ status }] = await store.write([journal]);
    return status === "committed";
  }
}

const atRest = { isWaiting: false, isQueued: false } as const;
