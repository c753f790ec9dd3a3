import type { ResponseStreamEvent } from "./wire.ts";

/**
 * One event in the form of server-sent events. Write the string with a single `write`: some
 * clients lose an event that is split between its lines.
 */
export function encodeEvent(event: ResponseStreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What ends every stream, whatever became of the response. */
export const endOfStream = "data: [DONE]\n\n";
