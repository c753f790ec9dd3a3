import { jsonChunks } from "./stream-json.ts";

/** An event with its name on the wire. */
export interface StreamEvent {
  readonly type: string;
}

/**
 * One event in the form of server-sent events. Write the string with a single `write`: some
 * clients lose an event that is split between its lines.
 */
export function encodeEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The same bytes in pieces where the event has a long text; a shorter one is one write. */
export function encodeInChunks(event: StreamEvent): Generator<string> {
  return sseChunks(`event: ${event.type}\n`, event);
}

/**
 * Any event with JSON as its data, in pieces.
 *
 * @param head the lines before its data
 */
export function* sseChunks(head: string, data: object): Generator<string> {
  let ready = `${head}data: `;
  let isFirst = true;
  for (const piece of jsonChunks(data)) {
    if (!isFirst) {
      yield ready;
      ready = "";
    }
    isFirst = false;
    ready += piece;
  }
  yield `${ready}\n\n`;
}

/** What ends every stream, whatever became of the response. */
export const endOfStream = "data: [DONE]\n\n";
