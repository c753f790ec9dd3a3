import type { CallRecord, Message } from "@capstan/core";
import type { RunEvent } from "../../contract/run.ts";
import type { Position } from "../live-runs.ts";
import type { Script } from "../script.ts";
import { readEventsCompact } from "./read-events.ts";
import { readCalls } from "./read-ledger.ts";
import { readMessages } from "./read-runs.ts";

/** What a chain is taken up from. */
export interface ChainReading {
  readonly messages: readonly Message[];
  /** Without what is in quarantine. */
  readonly calls: readonly CallRecord[];
  /** Without items that have ended. */
  readonly events: readonly RunEvent[];
}

/** In one go: who takes a chain up wants all of it, and as of one moment. */
export function* readChain(query: {
  readonly owner: string;
  readonly runId: string;
  readonly position: Position | undefined;
}): Script<ChainReading | undefined> {
  const compact = yield* readEventsCompact(query);
  if (compact === undefined) return undefined;
  const calls = (yield* readCalls(query)) ?? [];
  return {
    messages: (yield* readMessages(query)) ?? [],
    calls: calls.map(({ call }) => call),
    events: withoutEndedItems(compact.events),
  };
}

function withoutEndedItems(events: readonly RunEvent[]): readonly RunEvent[] {
  const ended = new Set(events.flatMap((event) => (event.type === "item.end" ? event.itemId : [])));
  return events.filter((event) => !("itemId" in event && ended.has(event.itemId)));
}
