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
import { approvalsOf, deliverAnswer } from "../active/resumption.ts";

export interface OtherNodesOptions {
  readonly store: Store;
  readonly activeRuns: ActiveRuns;
  readonly log: (line: string) => void;
}

/** Why a chain is stopped that a person wants to end. */
export const stoppedByPerson = "a person stopped it";

/**
 * What other nodes have to do with the runs that go on here: they are given answers, are watched, are
 * stopped, or are taken over. What is heard is only a hint; the store says what is so.
 */
export class OtherNodes {
  readonly #options: OtherNodesOptions;
  /** Runs that are being looked at; true where something came meanwhile. */
  readonly #looking = new Map<string, boolean>();

  constructor(options: OtherNodesOptions) {
    this.#options = options;
    options.store.nodes?.subscribe((heard) => this.#hear(heard));
  }

  /** Looks at every run that goes on here: where a hint may have been missed. */
  lookAtAll(): void {
    for (const [runId] of this.#options.activeRuns.entries()) this.#look(runId);
  }

  /**
   * Asks the node that has a run to stop it.
   *
   * @returns whether it has ended within `withinMs`
   */
  async stopped(run: Pick<RunRecord, "owner" | "id">, withinMs: number): Promise<boolean> {
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

  /** Asks the node that has a run to stop one call of it. False where there is no such call to stop. */
  async stopCall({ owner, id: runId }: RunRecord, callId: string): Promise<boolean> {
    const { store } = this.#options;
    if (store.nodes === undefined) return false;
    const calls = (await store.readCalls({ owner, runId })) ?? [];
    const open = calls.some(({ call }) => call.callId === callId && !isSettled(call.status));
    if (open) await store.nodes.requestStop({ runId, callId });
    return open;
  }

  #hear(heard: NodeMessage): void {
    if (heard.type === "missed") this.lookAtAll();
    else if (heard.type === "stop") this.#stop(heard);
    else if (heard.type === "watched") this.#options.activeRuns.writeHeartbeat(heard.runId);
    else if (heard.type === "changed") for (const runId of heard.runIds) this.#look(runId);
  }

  #stop({ runId, callId }: StopRequest): void {
    const chain = this.#options.activeRuns.get(runId)?.chain;
    if (callId === undefined) chain?.abort(stoppedByPerson);
    else chain?.cancelCall(callId);
  }

  #look(runId: string): void {
    const live = this.#options.activeRuns.get(runId);
    if (live === undefined) return;
    if (this.#looking.has(runId)) {
      this.#looking.set(runId, true);
      return;
    }
    this.#looking.set(runId, false);
    this.#tell(runId, live)
      .catch((thrown: unknown) =>
        this.#options.log(
          `What other nodes did to run ${runId} cannot be read: ${errorMessage(thrown)}`,
        ),
      )
      .finally(() => {
        const again = this.#looking.get(runId) === true;
        this.#looking.delete(runId);
        if (again) this.#look(runId);
      });
  }

  /** Tells a chain what came for it. What it does not wait for it leaves. */
  async #tell(id: string, { owner, epoch, chain }: ActiveRun): Promise<void> {
    const { store } = this.#options;
    const run = await store.getRun({ owner, id });
    // Fenced, whatever it writes: it should not go on doing things either.
    if (run === undefined || run.epoch !== epoch) {
      chain.detach("another node has this run now");
      return;
    }
    for (const approval of await approvalsOf(store, run))
      if (approval.status !== "pending") deliverAnswer(chain, approval);
    for (const output of await store.listOutputs({ owner, runId: id })) chain.submitOutput(output);
  }
}
