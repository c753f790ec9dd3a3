import { randomUUID } from "node:crypto";

/** The key of a placeholder for a long result that a thread has parsed. */
const parsedKey = "capstan/parsed";

/** The maximum number of results that wait. The library takes each one in a few turns. */
const mostResults = 20;

/** Long results that were parsed outside the library, which would parse them on the event loop. */
export interface ParsedResults {
  /** Stores a result, and returns its placeholder for the library. */
  readonly keep: (result: unknown) => { readonly [parsedKey]: string };
  /** Returns the result of a placeholder, and any other result unchanged. */
  readonly take: (result: unknown) => unknown;
}

/** Creates an empty collection, for one session. */
export function parsedResults(): ParsedResults {
  const kept = new Map<string, unknown>();
  return {
    keep(result) {
      const [oldest] = kept.keys();
      if (kept.size >= mostResults && oldest !== undefined) kept.delete(oldest);
      // A server cannot guess the key of another result.
      const key = randomUUID();
      kept.set(key, result);
      return { [parsedKey]: key };
    },
    take(result) {
      const key = (result as { readonly [parsedKey]?: unknown } | null)?.[parsedKey];
      if (typeof key !== "string" || !kept.has(key)) return result;
      const whole = kept.get(key);
      kept.delete(key);
      return whole;
    },
  };
}
