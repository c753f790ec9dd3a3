import type { ModelEvent } from "@capstan/core";
import { type Collected, collectEvents, textOf } from "./collect-events.ts";
import { modelOfForm, type ProviderForm } from "./provider-forms.ts";
import { type BodyEnd, chunkedFetch } from "./vendor-streams/vendor-stream.ts";

export type Replay = (chunks: readonly Uint8Array[], end?: BodyEnd) => Promise<Collected>;

/** Plays the body of a provider's answer, in these chunks, to one and the same model. */
export function replayOf(form: ProviderForm): Replay {
  let fetch = chunkedFetch([]);
  const model = modelOfForm(form, async (...request) => fetch(...request));
  return async (chunks, end) => {
    fetch = chunkedFetch(chunks, end);
    return collectEvents(model);
  };
}

/** The content for a reader, without the division into deltas. */
export function gist(events: readonly ModelEvent[]) {
  const calls = events.flatMap((event) =>
    event.type === "tool-call-end" ? [{ name: event.name, arguments: event.arguments }] : [],
  );
  const reasoning = events.flatMap((event) =>
    event.type === "reasoning-delta" ? [event.text] : [],
  );
  return { text: textOf(events), reasoning: reasoning.join(""), calls };
}
