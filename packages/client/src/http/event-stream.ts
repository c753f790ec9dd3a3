import { createParser } from "eventsource-parser";

/** The default limit for the length of an event, in characters. */
const defaultMaxEventLength = 128 * 1024 * 1024;

/**
 * Yields the data of server-sent events. It reads from the connection only when the caller asks for
 * the next event, and leaves out an incomplete last event.
 *
 * @param options.maxEventLength characters @default 134,217,728
 * @param options.onChunk called for each chunk that arrives, including heartbeats
 * @throws RangeError if an event is longer than the maximum
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  options: { readonly maxEventLength?: number; readonly onChunk?: () => void } = {},
): AsyncGenerator<string> {
  const { maxEventLength = defaultMaxEventLength, onChunk } = options;
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => events.push(data),
    onError({ type }) {
      if (type === "max-buffer-size-exceeded")
        throw new RangeError(`An event of the stream is longer than ${maxEventLength} characters.`);
    },
  });
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk?.();
      parser.feed(value);
      yield* events.splice(0);
    }
  } finally {
    // Close the connection when the caller stops reading.
    await reader.cancel().catch(() => {});
  }
}
