import { jsonChunks } from "@capstan/core/base";

/**
 * Responds with JSON in pieces, each created when the reader takes it. A long response neither
 * blocks other requests nor needs a second full copy. A response of one piece is sent as a whole.
 *
 * @param onEnd called when all pieces are written, or the reader disconnected
 * @example return streamJson(jsonChunks({ object: "list", data: [] }));
 */
export function streamJson(
  chunks: Iterable<string> | AsyncIterable<string>,
  onEnd = () => {},
): Response {
  const headers = { "Content-Type": "application/json" };
  const isAsync = Symbol.asyncIterator in chunks;
  const iterator: Iterator<string, unknown> | AsyncIterator<string, unknown> = isAsync
    ? chunks[Symbol.asyncIterator]()
    : chunks[Symbol.iterator]();
  const begun = isAsync ? [] : [iterator.next(), iterator.next()];
  const [first, second] = begun as readonly IteratorResult<string, unknown>[];
  if (first?.done === false && second?.done === true) {
    onEnd();
    return new Response(first.value, { headers });
  }
  return streamedResponse({
    headers,
    next: async () => {
      const result = await (begun.shift() ?? iterator.next());
      if (result.done === true) onEnd();
      return result;
    },
    leave: async () => {
      onEnd();
      await iterator.return?.();
    },
  });
}

/** Returns a response whose chunks are created as its reader takes them. */
function streamedResponse(options: {
  readonly headers: { readonly [name: string]: string };
  readonly next: () => Promise<IteratorResult<string, unknown>>;
  /** Releases the source of the chunks after the reader disconnected or the stream failed. */
  readonly leave: () => Promise<unknown>;
}): Response {
  const { headers, next, leave } = options;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const result = await next().catch((thrown: unknown) => {
          // Not awaited, because the source can be waiting for a promise that never settles.
          leave().catch(() => {});
          throw thrown;
        });
        if (result.done === true) return controller.close();
        // After the chunk has arrived, because one commit can have events for hundreds of streams.
        await nextTurn();
        controller.enqueue(encoder.encode(result.value));
      },
      cancel: () => leave().then(() => {}),
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers });
}

/** The JSON of one value, in pieces. */
type JsonPieces = Iterable<string> | AsyncIterable<string>;

/**
 * Yields a list in OpenAI's form, and reads each item just before it is sent.
 *
 * @param ends the ids of the first and the last item, null for an empty list
 */
export async function* listChunks(
  items: Iterable<JsonPieces> | AsyncIterable<JsonPieces>,
  ends: { readonly hasMore: boolean; readonly first: string | null; readonly last: string | null },
): AsyncGenerator<string> {
  yield '{"object":"list","data":[';
  let separator = "";
  for await (const item of items) {
    let before = separator;
    for await (const chunk of item) {
      yield before + chunk;
      before = "";
    }
    separator = ",";
  }
  const { hasMore, first, last } = ends;
  const rest = JSON.stringify({ has_more: hasMore, first_id: first, last_id: last });
  yield `],${rest.slice(1)}`;
}

/** Milliseconds for which streams and long requests can use one turn of the event loop. */
export const turnMs = 8;

/** When the first stream or long request started to work in this turn of the event loop. */
let began: number | undefined;

/**
 * Waits for the next turn of the event loop, if streams and long requests have worked for long in
 * this one. Sockets of fast readers accept every write immediately. Without a wait only streams
 * would run, because promises precede timers, other requests and other connections.
 */
export function nextTurn(): Promise<void> {
  // Admits one caller at a time, after the previous one has done its work.
  admitted = admitted.then(admit);
  return admitted;
}

let admitted: Promise<void> = Promise.resolve();

async function admit(): Promise<void> {
  // A tick comes after all promise jobs, so the work of the previous caller is done by then.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  while (began !== undefined && performance.now() - began > turnMs)
    await new Promise<void>((resolve) => setImmediate(resolve));
  if (began !== undefined) return;
  began = performance.now();
  setImmediate(() => (began = undefined));
}

const eventStreamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // Buffering proxies would delay the stream.
  "X-Accel-Buffering": "no",
};

export interface EventStreamOptions {
  /** Each string is one write: an event, or a piece of a long event. */
  readonly chunks: AsyncIterable<string>;
  /** Ms of silence after which `onIdle` is called for a heartbeat. */
  readonly idleMs: number;
  /** Returns the heartbeat for a waiting reader, or `undefined` if data is about to be sent. */
  readonly onIdle: () => string | undefined;
  /** Called if the reader disconnects before the end. */
  readonly onLeave?: () => void;
  /** Called after the stream has ended, also if its reader disconnected. Can be called twice. */
  readonly onEnd?: () => void;
}

/** Returns a response of server-sent events. Each event is created when the reader requests it. */
export function eventStream(options: EventStreamOptions): Response {
  const { chunks, idleMs, onIdle, onLeave, onEnd } = options;
  const iterator = chunks[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<string>> | undefined;
  let hasLeft = false;
  let timer: NodeJS.Timeout | undefined;
  const nextOrIdle = (chunk: Promise<IteratorResult<string>>) =>
    new Promise<IteratorResult<string> | "idle">((resolve, reject) => {
      timer = setTimeout(() => resolve("idle"), idleMs);
      chunk.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  return streamedResponse({
    headers: eventStreamHeaders,
    async next() {
      // The next chunk may never arrive, so the timer must not be set again after the reader has
      // left.
      while (!hasLeft) {
        pending ??= iterator.next();
        const result = await nextOrIdle(pending);
        if (result !== "idle") {
          pending = undefined;
          if (result.done === true) onEnd?.();
          return result;
        }
        const sign = onIdle();
        if (sign !== undefined) return { value: sign };
      }
      return { done: true, value: undefined };
    },
    async leave() {
      hasLeft = true;
      clearTimeout(timer);
      onLeave?.();
      onEnd?.();
      await iterator.return?.();
    },
  });
}

/** Returns an event with its name on the wire. */
export interface StreamEvent {
  readonly type: string;
}

/**
 * Yields one server-sent event, in pieces if it has a long text. Write a piece with a
 * single `write`: some clients lose an event that is split between its lines.
 */
export function encodeInChunks(event: StreamEvent): Generator<string> {
  return sseChunks(`event: ${event.type}\n`, event);
}

/**
 * Yields an event with JSON as its data, in pieces.
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

/** The last event of every stream, also after an error. */
export const endOfStream = "data: [DONE]\n\n";
