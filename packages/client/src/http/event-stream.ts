/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  readonly id: string | undefined;
  /** @default "message" */
  readonly event: string;
  readonly data: string;
}

/** Characters of the longest event that is read. */
const defaultMaxEventLength = 128 * 1024 * 1024;

/**
 * Reads server-sent events, one at a time: what nobody asked for yet stays with the sender. An event
 * that the connection cut short is left out.
 *
 * @param options.maxEventLength characters @default 134,217,728
 * @param options.onChunk is told of everything that arrives, heartbeats included
 * @throws RangeError if an event is longer than the maximum
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  options: { readonly maxEventLength?: number; readonly onChunk?: () => void } = {},
): AsyncGenerator<ServerSentEvent> {
  const { maxEventLength = defaultMaxEventLength, onChunk } = options;
  const parser = createEventStreamParser(maxEventLength);
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk?.();
      yield* parser.push(value);
    }
  } finally {
    // Whoever stops to read leaves the connection, too.
    await reader.cancel().catch(() => {});
  }
}

/** Reads events from chunks that may be cut anywhere; `push` returns those that a chunk completes. */
function createEventStreamParser(maxEventLength: number): {
  push(chunk: string): readonly ServerSentEvent[];
} {
  /** Pieces of the line that has not ended. */
  let rest: string[] = [];
  let length = 0;
  let endsInReturn = false;
  let id: string | undefined;
  let event = "";
  let data: string[] = [];

  function take(line: string, events: ServerSentEvent[]): void {
    if (line === "") {
      if (data.length > 0) events.push({ id, event: event || "message", data: data.join("\n") });
      event = "";
      data = [];
      length = 0;
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id") id = value;
  }

  return {
    push(chunk) {
      const events: ServerSentEvent[] = [];
      // The line feed may be the second half of a line's end.
      const text = endsInReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
      if (chunk !== "") endsInReturn = chunk.endsWith("\r");
      const [first = "", ...others] = text.split(/\r\n|\n|\r/);
      rest.push(first);
      length += text.length;
      for (const next of others) {
        take(rest.join(""), events);
        rest = [next];
      }
      if (length > maxEventLength)
        throw new RangeError(`An event is longer than ${maxEventLength} characters.`);
      return events;
    },
  };
}
