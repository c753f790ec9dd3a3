import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}

export interface SseServer extends AsyncDisposable {
  /** The URL without a path. */
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly bodies: readonly string[];
}

/**
 * Starts an HTTP server on a free port. It answers the n-th request with the n-th answer, or with
 * the last one.
 */
export async function startSseServer(
  ...answers: ((exchange: Exchange) => void)[]
): Promise<SseServer> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const answer = answers[Math.min(bodies.length, answers.length - 1)];
      bodies.push(body);
      answer?.({ request, body, response });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends the chunks as server-sent events and leaves the stream open. */
export function sendEvents(response: ServerResponse, chunks: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunks) response.write(sseText(chunk));
}

/** Returns an answer that streams the chunks and ends. */
export function streams(...chunks: readonly unknown[]): (exchange: Exchange) => void {
  return ({ response }) => {
    sendEvents(response, chunks);
    response.end();
  };
}

/** Returns an answer with a status and a JSON body. */
export function fails(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): (exchange: Exchange) => void {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Returns a `fetch` that answers every request with the same stream and records the requests. */
export function sseFetch(
  chunks: readonly unknown[],
  sent: { url: string; headers: Headers; body: unknown }[] = [],
): typeof fetch {
  return async (input, init) => {
    const text = typeof init?.body === "string" ? init.body : "null";
    sent.push({
      url: input instanceof Request ? input.url : input.toString(),
      headers: new Headers(init?.headers),
      body: JSON.parse(text),
    });
    const body = chunks.map(sseText).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function sseText(chunk: unknown): string {
  const name =
    typeof chunk === "object" && chunk !== null && "type" in chunk
      ? `event: ${String(chunk.type)}\n`
      : "";
  return `${name}data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`;
}
