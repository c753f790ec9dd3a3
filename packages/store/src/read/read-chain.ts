import type { StoredList } from "../blobs/split-inputs.ts";
import type { ChainReading, ChainStateEvent, PublishedPosition } from "../records/read-results.ts";
import type { Message } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";

import { type Script, together } from "../sql/script.ts";
import { foldCalls } from "../encode/call-records.ts";
import { compactEventsOf, findRunKey } from "./read-events.ts";
import { callRows, messageTexts } from "./read-journal.ts";

/** The stored state of a chain. */
export interface StoredChain extends Omit<ChainReading, "messages"> {
  readonly messages: StoredList<Message>;
}

/** Reads the state of a chain in one snapshot, because a run that resumes needs all of it. */
export function* readChain(query: {
  readonly owner: string;
  readonly runId: string;
  readonly position: PublishedPosition | undefined;
}): Script<StoredChain | undefined> {
  const run = yield* findRunKey(query);
  if (run === undefined) return undefined;
  const [compact, calls, messages] = yield* together([
    compactEventsOf(run, query.position),
    callRows(run.n),
    messageTexts(run.n),
  ]);
  return {
    messages: messages.flatMap((text) => JSON.parse(text) as StoredList<Message>),
    calls: foldCalls(calls).map(({ call }) => call),
    events: withoutEndedItems(compact.events).map(toChainStateEvent),
  };
}

function withoutEndedItems(events: readonly RunEvent[]): readonly RunEvent[] {
  const ended = new Set(events.flatMap((event) => (event.type === "item.end" ? event.itemId : [])));
  return events.filter((event) => !("itemId" in event && ended.has(event.itemId)));
}

function toChainStateEvent(event: RunEvent): ChainStateEvent {
  switch (event.type) {
    case "round.started":
    case "round.ended":
    case "item.start":
    case "item.delta":
      return event;
    default:
      return "at" in event ? { type: event.type, at: event.at } : { type: event.type };
  }
}
