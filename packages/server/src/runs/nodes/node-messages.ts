import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage, isSettled } from "@capstan/core/host";
import {
  type NodeMessage,
  isClosing,
  type RunRecord,
  type StopRequest,
  type Store,
} from "@capstan/store";
import type { ActiveRuns, ActiveRun } from "../active/active-runs.ts";
import { approvalsOf, deliverAnswer } from "../active/read-resumption.ts";

export interface NodeMessagesOptions {
  readonly store: Store;
  readonly activeRuns: ActiveRuns;
  readonly log: (line: string) => void;
}

/** The reason with which a user's stop aborts a chain. */
export const stoppedByUser = "a person stopped it";

/**
 * Exchanges messages about runs with other nodes: answers, heartbeats, stops and takeovers. A message
 * is only a hint; the store has the state.
 */
export class NodeMessages {
  readonly #options: NodeMessagesOptions;
  /** Runs that are being refreshed; true if a message came in the meantime. */
  readonly #refreshing = new Map<string, boolean>();

  constructor(options: NodeMessagesOptions) {
    this.#options = options;
    options.store.nodes?.subscribe((heard) => this.#receive(heard));
  }

  /** Refreshes every active run from the store, as a message may have been lost. */
  refreshAll(): void {
    for (const [runId] of this.#options.activeRuns.entries()) this.#refresh(runId);
  }

  /**
   * Asks the owner of a run to stop it.
   *
   * @returns whether it has ended within `withinMs`
   */
  async stopRun(run: Pick<RunRecord, "owner" | "id">, withinMs: number): Promise<boolean> {
    const { store } = this.#options;
    if (store.nodes === undefined) return false;
    const over = new AbortController();
    const ended = async () => {
      const now = await store.getRun(run);
      return now === undefined || isClosing(now.status);
    };
    const closed = Promise.withResolvers<true>();
    const leave = store.subscribe(run.id, () => {
      void ended().then((so) => so && closed.resolve(true), closed.reject);
    });
    try {
      await store.nodes.requestStop({ runId: run.id });
      const waited = sleep(withinMs, false, { signal: over.signal }).catch(() => false);
      return (await Promise.race([closed.promise, waited])) || (await ended());
    } finally {
      over.abort();
      leave();
    }
  }

  /** Asks the owner of a run to stop one of its calls. Returns false if there is no such open call. */
  async stopCall({ owner, id: runId }: RunRecord, callId: string): Promise<boolean> {
    const { store } = this.#options;
    if (store.nodes === undefined) return false;
    const calls = (await store.readCalls({ owner, runId })) ?? [];
    const open = calls.some(({ call }) => call.callId === callId && !isSettled(call.status));
    if (open) await store.nodes.requestStop({ runId, callId });
    return open;
  }

  #receive(heard: NodeMessage): void {
    if (heard.type === "missed") this.refreshAll();
    else if (heard.type === "stop") this.#stop(heard);
    else if (heard.type === "watched") this.#options.activeRuns.writeHeartbeat(heard.runId);
    else if (heard.type === "changed") for (const runId of heard.runIds) this.#refresh(runId);
  }

  #stop({ runId, callId }: StopRequest): void {
    const chain = this.#options.activeRuns.get(runId)?.chain;
    if (callId === undefined) chain?.abort(stoppedByUser);
    else chain?.cancelCall(callId);
  }

  #refresh(runId: string): void {
    const live = this.#options.activeRuns.get(runId);
    if (live === undefined) return;
    if (this.#refreshing.has(runId)) {
      this.#refreshing.set(runId, true);
      return;
    }
    this.#refreshing.set(runId, false);
    this.#deliver(runId, live)
      .catch((thrown: unknown) =>
        this.#options.log(
          `What other nodes did to run ${runId} cannot be read: ${errorMessage(thrown)}`,
        ),
      )
      .finally(() => {
        const again = this.#refreshing.get(runId) === true;
        this.#refreshing.delete(runId);
        if (again) this.#refresh(runId);
      });
  }

  /** Delivers the answers and outputs in the store to a chain, which ignores those that it does not wait for. */
  async #deliver(id: string, { owner, epoch, chain }: ActiveRun): Promise<void> {
    const { store } = this.#options;
    const run = await store.getRun({ owner, id });
    // Its writes are fenced; it should not run more calls either.
    if (run === undefined || run.epoch !== epoch) {
      chain.detach("another node has this run now");
      return;
    }
    for (const approval of await approvalsOf(store, run))
      if (approval.status !== "pending") deliverAnswer(chain, approval);
    for (const output of await store.listOutputs({ owner, runId: id })) chain.submitOutput(output);
  }
}
