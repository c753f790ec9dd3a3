import type { RunEvent, RunStatus, RunWithEvents } from "@capstan/contract";
import { type Accessor, createSignal } from "solid-js";
import { followRun, type FollowStatus } from "@capstan/client";
import { client, isGone, retryUntilGone } from "../api/client.ts";
import { foldRunEvents, foldStoredEvents } from "../run/fold-run-event.ts";
import { hasEnded, type RunPhase, type RunState } from "../run/run-state.ts";

/** `gone`: the server no longer has the run. */
export type StreamStatus = FollowStatus | "gone";

/** A run that is shown, and followed while it is in progress. */
export interface LiveRun {
  readonly view: RunWithEvents;
  readonly state: Accessor<RunState>;
  readonly stream: Accessor<StreamStatus>;
  readonly stop: () => void;
}

export interface LiveRunOptions {
  readonly run: RunWithEvents;
  /** Called with each batch of new events, so that dependent data can be reloaded. */
  readonly onProgress: (events: readonly RunEvent[]) => void;
}

export function createLiveRun({ run, onProgress }: LiveRunOptions): LiveRun {
  const [state, setState] = createSignal(storedState(run));
  const [stream, setStream] = createSignal<StreamStatus>("open");
  const abort = new AbortController();

  const batch = createFrameBatch<RunEvent>((events) => {
    if (abort.signal.aborted) return;
    setState((before) => foldRunEvents(before, events));
    onProgress(events);
  });

  if (!hasEnded(state().phase)) {
    void follow();
  }

  async function follow(): Promise<void> {
    const { signal } = abort;
    const options = { client, run: run.id, after: run.last_seq, signal, onStatus: setStream };
    try {
      for await (const event of followRun({ ...options, retry: retryUntilGone(signal) }))
        batch.add(event);
    } catch (error) {
      if (isGone(error)) setStream("gone");
      else if (!signal.aborted) throw error;
    }
  }

  return { view: run, state, stream, stop: () => abort.abort() };
}

const phaseOf: { readonly [status in RunStatus]: RunPhase | null } = {
  queued: null,
  in_progress: null,
  requires_action: null,
  completed: "completed",
  incomplete: "timeout",
  failed: "error",
  cancelled: "aborted",
  expired: "timeout",
};

/**
 * Returns the state of a stored run. A run that was closed before it started has a status and no
 * events.
 */
function storedState(run: RunWithEvents): RunState {
  const state = foldStoredEvents(run.events, run.last_seq);
  const phase = phaseOf[run.status];
  if (phase === null || hasEnded(state.phase)) return state;
  return { ...state, phase, error: run.error ?? state.error, endedAt: run.ended_at };
}

/**
 * Batches items and flushes them once per frame. A background page has no frames, so a timer
 * flushes them there.
 */
function createFrameBatch<Item>(flush: (items: readonly Item[]) => void): {
  readonly add: (item: Item) => void;
} {
  let items: Item[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    const batch = items;
    items = [];
    flush(batch);
  }

  return {
    add(item) {
      items.push(item);
      if (items.length > 1) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, 200);
    },
  };
}
