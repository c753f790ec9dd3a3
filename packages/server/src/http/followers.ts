import { LruCache } from "@capstan/core/host";
import type { RunRecord } from "@capstan/store";
import type { RunService } from "../runs/run-service.ts";

/** The connection that follows a run. */
export interface Follower {
  /** Call this if the client disconnects. */
  readonly leave: () => void;
  /** Call this if the response ends while its run continues. The run is then not stopped. */
  readonly pause: () => void;
}

/**
 * Creates a function that stops a run when its last client disconnects, as OpenAI's API does. A
 * repeated request can already follow the run when the connection of the first one closes.
 *
 * @example
 * const follow = createFollowers(runs);
 * const { leave } = follow(run, context.req.raw.signal, { stays: false });
 */
export function createFollowers(runs: RunService) {
  /** For each run, the connection of the last request that follows it. */
  const connections = new LruCache<string, AbortSignal>(1_000);

  return (
    run: RunRecord,
    signal: AbortSignal,
    { stays }: { readonly stays: boolean },
  ): Follower => {
    connections.set(run.id, signal);
    let isPaused = false;
    const leave = (): void => {
      if (stays || isPaused) return;
      const last = connections.get(run.id) ?? signal;
      if (last === signal || last.aborted) runs.cancelOnDisconnect(run);
    };
    // The client can have disconnected before the run was created.
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return { leave, pause: () => (isPaused = true) };
  };
}
