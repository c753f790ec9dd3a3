/** An open event stream whose caller's credential can be revoked. */
interface OpenStream {
  readonly isValid: () => boolean;
  readonly end: () => void;
}

/** Milliseconds between two checks. Other processes can revoke a credential. */
const defaultEveryMs = 1_000;

/** Ends the event streams of callers whose credential was revoked. */
export type RevocationWatch = ReturnType<typeof createRevocationWatch>;

/**
 * Creates a watch, which checks credentials while event streams are open.
 *
 * @example context.res = watch.guard(context.res, () => isPaired(context));
 */
export function createRevocationWatch({
  everyMs = defaultEveryMs,
}: { readonly everyMs?: number } = {}) {
  const open = new Set<OpenStream>();
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    for (const stream of open) if (!stream.isValid()) stream.end();
  }

  function add(stream: OpenStream): void {
    open.add(stream);
    timer ??= setInterval(check, everyMs).unref();
  }

  function remove(stream: OpenStream): void {
    open.delete(stream);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Checks all open streams now. Call it after a credential was revoked in this process. */
    check,

    /**
     * Returns the response, whose stream ends when the credential is no longer valid. Responses that
     * are not event streams are returned unchanged.
     */
    guard(response: Response, isValid: () => boolean): Response {
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (isStream !== true || response.body === null) return response;
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let hasEnded = false;
      let stream: OpenStream | undefined;
      const leave = (): void => {
        hasEnded = true;
        if (stream !== undefined) remove(stream);
      };
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const end = () => {
              leave();
              controller.close();
              // Its source ends as if the reader had disconnected.
              reader.cancel().catch(() => {});
            };
            stream = { isValid, end };
            add(stream);
          },
          async pull(controller) {
            const result = await reader.read().catch((thrown: unknown) => {
              leave();
              throw thrown;
            });
            if (hasEnded) return;
            if (!result.done) return controller.enqueue(result.value);
            leave();
            controller.close();
          },
          cancel(reason) {
            leave();
            return reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, response);
    },
  };
}
