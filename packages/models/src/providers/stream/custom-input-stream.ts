import { customArguments } from "@capstan/core/host";

/** Turns the streamed texts of custom tools into streamed arguments with the text as `input`. */
export interface CustomInputStream {
  /** Registers a call. Returns the beginning of its arguments. */
  start(id: string): string;
  /** Returns the next piece of a call's arguments; the piece itself for other calls. */
  delta(id: string, delta: string): string;
  /** Returns the whole arguments of a call from the provider's JSON of its text. */
  whole(id: string, json: string): string;
}

const opening = customArguments("").slice(0, -'"}'.length);

/** Creates a stream for the calls of one answer. */
export function createCustomInputStream(): CustomInputStream {
  /** The first half of a surrogate pair whose second half is in the next piece, by call. */
  const halves = new Map<string, string>();
  return {
    start(id) {
      halves.set(id, "");
      return opening;
    },
    delta(id, delta) {
      const half = halves.get(id);
      if (half === undefined) return delta;
      const text = half + delta;
      const isSplit = /[\uD800-\uDBFF]$/.test(text);
      halves.set(id, isSplit ? text.slice(-1) : "");
      return JSON.stringify(isSplit ? text.slice(0, -1) : text).slice(1, -1);
    },
    whole(id, json) {
      if (!halves.has(id)) return json;
      const text: unknown = JSON.parse(json);
      return customArguments(typeof text === "string" ? text : json);
    },
  };
}
