import type { CallRecord, Message } from "@capstan/core";
import type { RunEvent } from "../../contract/run.ts";
import type { Position } from "../live-runs.ts";
import { type Script, together } from "../script.ts";
import { compactEventsOf } from "./read-events.ts";
import { callsOf } from "./read-ledger.ts";
import { findRunN, messagesOf } from "./read-runs.ts";

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
  const run = yield* findRunN(query);
  if (run === undefined) return undefined;
  const [compact, calls, messages] = yield* together([
    compactEventsOf(run, query.position),
    callsOf(run, query.runId),
    messagesOf(run.n),
  ]);
  return {
    messages,
    calls: calls.map(({ call }) => call),
    events: withoutEndedItems(compact.events),
  };
}

function withoutEndedItems(events: readonly RunEvent[]): readonly RunEvent[] {
  const ended = new Set(events.flatMap((event) => (event.type === "item.end" ? event.itemId : [])));
  return events.filter((event) => !("itemId" in event && ended.has(event.itemId)));
}
