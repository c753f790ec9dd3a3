import { request as httpRequest, type OutgoingHttpHeaders } from "node:http";

/** A request that an attacker writes. `fetch` would reject some of them. */
export interface Sent {
  readonly method: string;
  /** The path in the request line. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** The milliseconds for which an event stream is read. @default 100 */
  readonly streamMs?: number;
}

export interface Answer {
  /** 0 if the server closed the connection without an answer. */
  readonly status: number;
  readonly text: string;
}

/** Milliseconds until a request without an answer is reported as hanging. */
const hangMs = 20_000;

/**
 * Sends a request and reads its answer; or the beginning of an event stream.
 *
 * @throws Error if it hangs
 */
export async function send(
  url: string,
  { method, path, headers = {}, body, streamMs = 100 }: Sent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { hostname, port } = new URL(url);
  const request = httpRequest({ hostname, port, method, path, headers }, (response) => {
    let text = "";
    const end = () => resolve({ status: response.statusCode ?? 0, text });
    response.setEncoding("utf8").on("data", (more: string) => (text += more));
    response.on("end", end).on("error", end);
    if (response.headers["content-type"]?.startsWith("text/event-stream") !== true) return;
    const timer = setTimeout(() => {
      end();
      request.destroy();
    }, streamMs);
    response.once("end", () => clearTimeout(timer));
  });
  const timer = setTimeout(() => {
    reject(
      new Error(`${method} ${path.slice(0, 200)} hangs: no answer within ${hangMs / 1_000} s`),
    );
    request.destroy();
  }, hangMs);
  request.on("error", () => resolve({ status: 0, text: "" }));
  try {
    request.end(body);
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
