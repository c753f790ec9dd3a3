import { setTimeout as wait } from "node:timers/promises";
import type { RunEvent } from "@capstan/contract";
import { ApiError } from "./client-error.ts";
import type { Client } from "./client.ts";

/**
 * All events of a run from a number on, each once, until the last one. A connection that is lost
 * is made again where it was; after several failures in a row the error is thrown.
 *
 * @param options.delayMs first pause before a new connection, doubled each time
 */
export async function* followRun(options: {
  readonly client: Pick<Client, "events">;
  readonly run: string;
  readonly after: number;
  readonly signal: AbortSignal;
  readonly attempts?: number;
  readonly delayMs?: number;
}): AsyncGenerator<RunEvent> {
  const { client, run, signal, attempts = 6, delayMs = 250 } = options;
  let last = options.after;
  for (let failures = 0; ;) {
    let failure: unknown;
    try {
      for await (const event of client.events(run, last, signal)) {
        if (event.seq <= last) continue;
        last = event.seq;
        failures = 0;
        yield event;
        if (event.type === "chain.ended") return;
      }
    } catch (error) {
      signal.throwIfAborted();
      // The server understood and said no: asking again would not help.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
      failure = error;
    }
    failures++;
    if (failures >= attempts) throw lost(run, failure);
    await wait(delayMs * 2 ** (failures - 1), undefined, { signal });
  }
}

function lost(run: string, cause: unknown): ApiError {
  return new ApiError({
    status: 0,
    code: "connection",
    message: `The connection to the server is lost. Run ${run} may go on there: \`capstan chat --continue\` shows it.`,
    cause,
  });
}
