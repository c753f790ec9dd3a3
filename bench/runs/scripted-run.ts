import type { Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { begin, createRuns, requestOf, type RunService } from "@capstan/server/testing";
import { countedWork } from "./counted-work.ts";
import { manyAtOnce } from "./many-at-once.ts";
import { callsARound, rounds, scriptedModel } from "./scripted-model.ts";

/** Model steps and calls of a run; its answer is not counted. */
export const stepsARun = rounds * (1 + callsARound);

/** Scripted runs on one store. */
export interface ScriptedRuns {
  readonly runs: RunService;
  /**
   * Executes a whole run, which suspends at an approval request, is answered, and runs to its end.
   */
  readonly one: () => Promise<void>;
  /** Executes a run until it waits for an approval. @returns the approval's id */
  readonly park: () => Promise<string>;
  /** Executes runs, a number of them at the same time. @returns their total duration in ms */
  readonly many: (count: number, atOnce: number, what?: () => Promise<unknown>) => Promise<number>;
}

export function scriptedRuns(store: Store): ScriptedRuns {
  const { tools, many: manyWhole } = countedWork();
  const runs = createRuns({ store, model: scriptedModel, tools });

  /**
   * Reads the run's approval request and, after the answer, its end from its events, like a client.
   */
  async function begun() {
    const asked = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    const { id } = await begin(runs, requestOf("Do it."));
    let question = "";
    const unsubscribe = store.subscribe(id, ({ events, closed }) => {
      for (const event of events) {
        if (event.type === "approval.requested") question = event.approval.id;
        if (event.type === "chain.waiting") asked.resolve(question);
      }
      if (!closed) return;
      unsubscribe();
      ended.resolve();
    });
    return { id, asked: asked.promise, ended: ended.promise, unsubscribe };
  }

  async function one(): Promise<void> {
    const { id, asked, ended } = await begun();
    await runs.answer(owner, await asked, { decision: "allow" }, id);
    await ended;
  }

  async function park(): Promise<string> {
    const { asked, unsubscribe } = await begun();
    const question = await asked;
    unsubscribe();
    return question;
  }

  const many = (count: number, atOnce: number, what: () => Promise<unknown> = one) =>
    (what === one ? manyWhole : manyAtOnce)(count, atOnce, what);

  return { runs, one, park, many };
}
