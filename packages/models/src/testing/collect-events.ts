import {
  type Clock,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
} from "@capstan/core";

export interface Collected {
  readonly events: readonly ModelEvent[];
  readonly error: ModelError | undefined;
}

/** Returns all events of a model, and the `ModelError` that ended the stream. */
export async function collectEvents(
  model: Model,
  request: Partial<ModelRequest> = {},
  signal?: AbortSignal,
): Promise<Collected> {
  const events: ModelEvent[] = [];
  const whole = {
    messages: [{ role: "user", content: "Hello" }],
    tools: [],
    ...request,
  } as ModelRequest;
  try {
    for await (const event of model.stream(whole, signal ?? AbortSignal.timeout(60_000)))
      events.push(event);
    return { events, error: undefined };
  } catch (thrown) {
    if (!ModelError.isInstance(thrown)) throw thrown;
    return { events, error: thrown };
  }
}

/** Returns the joined text of the deltas. */
export function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
}

/**
 * Creates a clock whose short delays end at once and whose long delays never end. It records the
 * short ones.
 */
export function instantClock(): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    monotonic: () => 0,
    after(ms, callback) {
      if (ms >= 60_000) return () => undefined;
      waits.push(ms);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
}
