import { EventSourceParserStream } from "eventsource-parser/stream";

export interface ServerSentEvent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data: string;
}

/**
 * Reads server-sent events from the body of an answer, one at a time: what nobody asked for yet
 * stays with the sender. An event that the connection cut short is left out.
 *
 * @param maxEventSize characters; a longer event is an error
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  maxEventSize = 128 * 1024 * 1024,
): AsyncGenerator<ServerSentEvent> {
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxEventSize }));
  yield* events;
}
