/** One event of a `text/event-stream`. */
export interface StreamMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/**
 * Reads `text/event-stream` from chunks that may be cut anywhere. `push` gives the messages that
 * a chunk completes; an unfinished one at the end of the stream is dropped, as the format says.
 */
export function createEventStreamParser(): { push(chunk: string): StreamMessage[] } {
  let rest = "";
  let id: string | null = null;
  let event = "";
  let data: string[] = [];

  function take(line: string, messages: StreamMessage[]): void {
    if (line === "") {
      if (data.length > 0) messages.push({ id, event: event || "message", data: data.join("\n") });
      event = "";
      data = [];
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
      const messages: StreamMessage[] = [];
      // A carriage return at the end may be the first half of a line's end.
      const text = rest + chunk;
      const usable = text.endsWith("\r") ? text.slice(0, -1) : text;
      const lines = usable.split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + text.slice(usable.length);
      for (const line of lines) take(line, messages);
      return messages;
    },
  };
}
