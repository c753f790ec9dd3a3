import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage, isSettled } from "@capstan/core/host";
import { isClosing, type NodeMessage, type RunRecord, type Store } from "@capstan/store";
import type { RunRegistry } from "../active/run-registry.ts";
import type { Overrides } from "../active/run-permissions.ts";

export interface NodeMessagesOptions {
  /** The store that the nodes share. */
  readonly store: Store;
  readonly registry: RunRegistry;
  readonly overrides: Overrides;
  readonly log: (line: string) => void;
}

/** The reason with which a user's stop aborts a chain. */
export const stoppedByUser = "stopped by the user";

/**
 * Exchanges messages with other nodes about runs (answers, heartbeats, stops, takeovers) and about
 * users' grants and rules. A message is only a hint; the store has the state.
 */
export class NodeMessages {
  readonly #options: NodeMessagesOptions;

  constructor(options: NodeMessagesOptions) {
    this.#options = options;
    options.store.nodes?.subscribe((heard) => this.#receive(heard));
  }

  /** Refreshes every active run from the store, as a message may have been lost. */
  refreshRuns(): void {
    for (const run of this.#options.registry.active()) void run.send({ type: "refresh" });
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
    const { registry, overrides } = this.#options;
    switch (heard.type) {
      case "changed":
        for (const runId of heard.runIds) void registry.get(runId)?.send({ type: "refresh" });
        return;
      case "watched":
        void registry.get(heard.runId)?.send({ type: "heartbeat" });
        return;
      case "stop":
        if (heard.callId === undefined) void registry.get(heard.runId)?.cancel(stoppedByUser);
        else registry.get(heard.runId)?.cancelCall(heard.callId);
        return;
      case "permissions":
        for (const owner of heard.owners) this.#refreshPermissions(owner);
        return;
      case "connections":
        return;
      case "missed": {
        this.refreshRuns();
        const active = registry.active().map(({ owner }) => owner);
        for (const owner of new Set([...active, ...overrides.owners()]))
          this.#refreshPermissions(owner);
      }
    }
  }

  /** Reloads a user's grants and rules. If several reads overlap, the newest counts. */
  #refreshPermissions(owner: string): void {
    const { registry, overrides, log } = this.#options;
    Promise.all([overrides.refresh(owner), registry.grants.refresh(owner)]).catch(
      (thrown: unknown) =>
        log(`Cannot read the changes of ${owner} at another node: ${errorMessage(thrown)}`),
    );
  }
}
