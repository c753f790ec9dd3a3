import type { RunEvent } from "@capstan/contract";
import type { UnnumberedEvent } from "../records/records.ts";

/**
 * A run's events with their numbers, in order.
 *
 * @param seqBefore the number of the event before them
 * @example
 * numberedEvents([{ type: "run.heartbeat", at: 5 }], 7); // [{ type: "run.heartbeat", at: 5, seq: 8 }]
 */
export function numberedEvents(
  events: readonly UnnumberedEvent[],
  seqBefore: number,
): readonly RunEvent[] {
  return events.map((event, index) => ({ ...event, seq: seqBefore + index + 1 }));
}
