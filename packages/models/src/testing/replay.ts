import type { ModelEvent } from "@capstan/core";
import { type Collected, collectEvents, textOf } from "./collect-events.ts";
import { modelOfForm, type ProviderForm } from "./provider-forms.ts";
import { type BodyEnd, chunkedFetch } from "./vendor-streams/vendor-stream.ts";

export type Replay = (chunks: readonly Uint8Array[], end?: BodyEnd) => Promise<Collected>;

/** Returns a function that replays a provider's body in the given chunks to one model. */
export function replayOf(form: ProviderForm): Replay {
  let fetch = chunkedFetch([]);
  const model = modelOfForm(form, async (...request) => fetch(...request));
  return async (chunks, end) => {
    fetch = chunkedFetch(chunks, end);
    return collectEvents(model);
  };
}

/** Returns the content of the events without their division into deltas. */
export function gist(events: readonly ModelEvent[]) {
  const calls = events.flatMap((event) =>
    event.type === "tool-call-end" ? [{ name: event.name, arguments: event.arguments }] : [],
  );
  const reasoning = events.flatMap((event) =>
    event.type === "reasoning-delta" ? [event.text] : [],
  );
  return { text: textOf(events), reasoning: reasoning.join(""), calls };
}
