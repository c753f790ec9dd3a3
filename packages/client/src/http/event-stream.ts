import { createParser } from "eventsource-parser";

/** Characters of the longest event that is read. */
const defaultMaxEventLength = 128 * 1024 * 1024;

/**
 * Reads the data of server-sent events, one at a time: what nobody asked for yet stays with the
 * sender. An event that the connection cut short is left out.
 *
 * @param options.maxEventLength characters @default 134,217,728
 * @param options.onChunk is told of everything that arrives, heartbeats included
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
        throw new RangeError(`An event is longer than ${maxEventLength} characters.`);
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
    // Ending the iteration also closes the connection.
    await reader.cancel().catch(() => {});
  }
}
