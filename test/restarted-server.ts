import assert from "node:assert/strict";
import { once } from "node:events";
import { watch } from "node:fs";
import type { RunEvent } from "@capstan/contract";
import { type Api, assertNumbered, createApi } from "./api.ts";
import {
  createServerFolder,
  readLedger,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream, type Upstream } from "./upstream.ts";

/** A folder with servers, one after another, and the model that they use. */
export interface Place extends AsyncDisposable {
  readonly folder: ServerFolder;
  readonly upstream: Upstream;
  /** Starts the next server on the same data. */
  start(environment?: { readonly [name: string]: string }): Promise<ServerProcess & { api: Api }>;
}

/** Creates a folder without a server. The model answers with `answer`. */
export async function createPlace(
  answer: Parameters<typeof startUpstream>[0] = obey,
): Promise<Place> {
  const resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream(answer));
  const folder = resources.use(await createServerFolder());
  return {
    folder,
    upstream,
    async start(more = {}) {
      const environment = { ...upstream.environment, ...more };
      const server = resources.use(
        await startServerProcess({ folder, script: toyServer, environment }),
      );
      return { ...server, api: createApi(server.url) };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Starts a turn with the toy tools in a new conversation. */
export async function startTurn(
  api: Api,
  input: string,
): Promise<{ conversation: string; run: string }> {
  const { id: conversation } = await api.createConversation();
  const run = await api.startTurn({ conversation, input, groups: ["toys"] });
  return { conversation, run };
}

/** Returns a run's events up to the first one of this type. */
export async function eventsUntil(
  api: Api,
  run: string,
  type: RunEvent["type"],
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of api.events(run)) {
    events.push(event);
    if (event.type === type) return events;
  }
  return assert.fail(`The run ended without ${type}.`);
}

/**
 * Checks that the stored events of a run are the same after a restart, and continue without a gap.
 */
export function assertContinues(before: readonly RunEvent[], after: readonly RunEvent[]): void {
  assertNumbered(after);
  assert.deepEqual(after.slice(0, before.length), before);
}

/** Resolves when the toy tools have written the given number of lines. */
export async function ledgerReaches(folder: ServerFolder, lines: number): Promise<void> {
  const watcher = watch(folder.work);
  try {
    for (;;) {
      // The listener is added before the file is read, so that no line is missed.
      const changed = once(watcher, "change");
      if ((await readLedger(folder)).length >= lines) return;
      await changed;
    }
  } finally {
    watcher.close();
  }
}
