import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a fake service received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** A local HTTP server for tests. */
export interface FakeService extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** The address without a slash at its end. */
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Answers each request; a test can replace it. */
  answer: (request: ReceivedRequest, response: ServerResponse) => void;
}

/** Starts a server on a free port of this machine. */
export async function startFakeService(answer: FakeService["answer"]): Promise<FakeService> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((message, response) => {
    const pieces: Buffer[] = [];
    message.on("data", (piece: Buffer) => pieces.push(piece));
    message.on("end", () => {
      const request = {
        method: message.method ?? "",
        url: new URL(message.url ?? "/", service.url),
        headers: message.headers,
        body: Buffer.concat(pieces),
      };
      requests.push(request);
      service.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: FakeService = {
    host,
    url: `http://${host}`,
    requests,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: object } = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));
}
