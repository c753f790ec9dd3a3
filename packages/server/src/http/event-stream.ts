import { nextTurn } from "./stream-json.ts";

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // Proxies that buffer would hold the stream back.
  "X-Accel-Buffering": "no",
};

export interface EventStreamOptions {
  /** Each string is one write: an event, or a piece of one that is long. */
  readonly chunks: AsyncIterable<string>;
  /** Ms of silence after which `onIdle` is asked for a sign of life. */
  readonly idleMs: number;
  /** What to send to a reader that waits; undefined: something is on its way. */
  readonly onIdle: () => string | undefined;
  /** The reader went away before the end. */
  readonly onLeave?: () => void;
}

/** Server-sent events as fast as the reader takes them: one is made when one is asked for. */
export function eventStream({ chunks, idleMs, onIdle, onLeave }: EventStreamOptions): Response {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | undefined;
  let hasLeft = false;
  let timer: NodeJS.Timeout | undefined;
  const nextOrIdle = (pending: Promise<IteratorResult<string>>) =>
    new Promise<IteratorResult<string> | "idle">((resolve, reject) => {
      timer = setTimeout(() => resolve("idle"), idleMs);
      pending.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextTurn();
        while (!hasLeft) {
          next ??= iterator.next();
          const result = await nextOrIdle(next);
          if (result === "idle") {
            const sign = onIdle();
            if (sign === undefined) continue;
            controller.enqueue(encoder.encode(sign));
            return;
          }
          next = undefined;
          if (result.done === true) controller.close();
          else controller.enqueue(encoder.encode(result.value));
          return;
        }
      },
      async cancel() {
        // The next chunk may never come, so the idle timer must not be set again.
        hasLeft = true;
        clearTimeout(timer);
        onLeave?.();
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers });
}
