import type { StoredList } from "../blobs/split-inputs.ts";
import type { ChainReading, ChainStateEvent, PublishedPosition } from "../records/read-results.ts";
import type { Message } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";

import { type Script, together } from "../sql/script.ts";
import { foldCalls } from "../encode/call-records.ts";
import { compactEventsOf, findRunKey } from "./read-events.ts";
import { callRows, messageTexts } from "./read-journal.ts";

/** The same as JSON: it comes from another thread, to which text costs a third of what objects do. */
export interface ChainText {
  readonly messages: string;
  /** What each commit changed of calls. */
  readonly calls: string;
  readonly events: string;
}

/** In one go: who takes a chain up wants all of it, and as of one moment. */
export function* readChain(query: {
  readonly owner: string;
  readonly runId: string;
  readonly position: PublishedPosition | undefined;
}): Script<ChainText | undefined> {
  const run = yield* findRunKey(query);
  if (run === undefined) return undefined;
  const [compact, calls, messages] = yield* together([
    compactEventsOf(run, query.position),
    callRows(run.n),
    messageTexts(run.n),
  ]);
  return {
    messages: joined(messages),
    calls: joined(calls.map((row) => row.calls)),
    events: JSON.stringify(withoutEndedItems(compact.events).map(toChainStateEvent)),
  };
}

/** @param read reads the messages of a stored list */
export async function parseChain(
  { messages, calls, events }: ChainText,
  read: (list: StoredList<Message>) => Promise<readonly Message[]>,
): Promise<ChainReading> {
  return {
    messages: await read(JSON.parse(messages) as StoredList<Message>),
    calls: foldCalls([{ at: 0, calls }]).map(({ call }) => call),
    events: JSON.parse(events) as ChainStateEvent[],
  };
}

/** JSON arrays, none of them empty, as one. */
function joined(arrays: readonly string[]): string {
  return `[${arrays.map((array) => array.slice(1, -1)).join(",")}]`;
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
