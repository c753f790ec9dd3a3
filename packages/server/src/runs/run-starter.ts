import { neutraliseMessage, newId } from "@capstan/core/host";
import type { Dispatcher } from "./dispatch/dispatcher.ts";
import { isClosing, type RunRecord, type Store, type StoreWrite } from "@capstan/store";
import { isWaitingForApproval, successorsOf, readInheritedTurn } from "./active/inherited-turn.ts";
import { type StartInput, launchInputOf } from "./active/read-start-input.ts";
import { newRunRecord, newRunWrites, variablesOrigin } from "./request/new-run.ts";
import type { RunRequest } from "./request/run-request.ts";
import type { KeyedMutex } from "./active/keyed-mutex.ts";
import type { Claims } from "./active/claim-and-resume.ts";

export type StartOutcome =
  | { readonly status: "started"; readonly run: RunRecord }
  /** The conversation has a newer run, or its last run has not ended. */
  | { readonly status: "conflict"; readonly message: string };

export interface RunStarterOptions {
  readonly store: Store;
  /** Runs one operation of a run at a time. */
  readonly mutex: KeyedMutex;
  readonly dispatcher: Dispatcher;
  readonly claims: Claims;
  readonly isStopping: () => boolean;
  readonly isActive: (runId: string) => boolean;
}

/** Creates runs from requests: each acquires a slot and starts, or is stored as queued. */
export class RunStarter {
  readonly #options: RunStarterOptions;

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  /** Creates a run and starts it. Resolves when it is stored; the run continues on its own. */
  async start(given: RunRequest): Promise<StartOutcome> {
    // Text from outside must not look like the system's own log, now or in later history.
    const request = {
      ...given,
      context: given.context.map(neutraliseMessage),
      inputMessages: given.inputMessages.map(neutraliseMessage),
    };
    // One at a time for each parent: two runs must not take over the same waiting call.
    const { parentId } = request;
    if (parentId === null) return this.#start(request);
    return this.#options.mutex.runExclusive(`children of ${parentId}`, () => this.#start(request));
  }

  async #start(request: RunRequest): Promise<StartOutcome> {
    const { store, dispatcher, isStopping, isActive } = this.#options;
    if (isStopping()) return { status: "conflict", message: "The server is stopping." };
    const parent =
      request.parentId === null
        ? undefined
        : await store.getRun({ owner: request.principal, id: request.parentId });
    if (parent !== undefined && !isClosing(parent.status)) {
      return {
        status: "conflict",
        message: "The answer before this one has not ended. Wait for it, or stop it first.",
      };
    }
    const adopts =
      parent !== undefined &&
      (request.continuesParent || (parent.result?.waiting ?? []).length > 0);
    if (parent !== undefined && adopts && isWaitingForApproval(parent)) {
      const carriers = await successorsOf(store, parent);
      if (carriers.some(({ status }) => !isClosing(status)))
        return { status: "conflict", message: "Another response carries on what waited here." };
    }
    const id = newId("resp_");
    const taken =
      adopts && parent !== undefined
        ? { parent, inherited: await readInheritedTurn(store, parent, request) }
        : undefined;
    const { principal: owner } = request;
    const begins = dispatcher.acquireSlot(id, owner);
    try {
      const status = begins ? "in_progress" : "queued";
      const writes = newRunWrites(id, request, taken?.inherited, status);
      return await this.#startStored(id, request, { begins, taken, writes });
    } finally {
      if (begins && !isActive(id)) dispatcher.releaseSlot(id);
    }
  }

  async #startStored(
    id: string,
    request: RunRequest,
    given: {
      readonly begins: boolean;
      readonly taken: StartInput["taken"];
      readonly writes: readonly StoreWrite[];
    },
  ): Promise<StartOutcome> {
    const { store, dispatcher, mutex, claims, isActive } = this.#options;
    const { begins, taken, writes } = given;
    const outcomes = await store.write(writes);
    const run = newRunRecord(writes, outcomes);
    if (run === undefined) {
      const refused = outcomes.find((outcome) => outcome.status === "refused");
      const message =
        refused?.reason ?? "The conversation went on elsewhere in the meantime. Load it again.";
      return { status: "conflict", message };
    }
    if (!begins) {
      dispatcher.offer(run);
      return { status: "started", run };
    }
    const { inputMessages } = request;
    const beginning = { request, inputMessages, ...(taken && { taken }) };
    const variablesOf = variablesOrigin(request, outcomes);
    await mutex.runExclusive(id, async () => {
      // The response to the commit may have been so late that a sweep has found the run.
      if (isActive(id)) return;
      await claims.launch(run, async () => ({
        ...(await launchInputOf(store, beginning)),
        ...(variablesOf && { variablesOf }),
      }));
    });
    return { status: "started", run };
  }
}
