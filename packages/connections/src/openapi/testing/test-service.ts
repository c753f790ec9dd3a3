import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JsonObject, ToolExecutor, type ToolExecutorOptions } from "@capstan/core";
import { unconfined } from "@capstan/sandbox";
import type { CredentialSource } from "../../credentials/credential-source.ts";
import type { Connections } from "../../manage/connections.ts";
import { openConnections } from "../../open-connections.ts";
import { textOf } from "../../testing/read-results.ts";
import type { OpenApiConnection } from "../definition/openapi-connection.ts";
import { readDocument } from "../document/read-document.ts";

/** A request as it arrives. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path and the query, unchanged. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: Buffer;
}

/** Answers a request. */
export type AnswerRequest = (request: ReceivedRequest, response: ServerResponse) => void;

/** A local service with its received requests. */
export interface TestService extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly requests: ReceivedRequest[];
  answer: AnswerRequest;
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Starts a local service. */
export async function startService(
  answer: AnswerRequest = (_request, response) => sendJson(response, { ok: true }),
): Promise<TestService> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const received = { method, target: url, headers, body: Buffer.concat(chunks) };
      requests.push(received);
      service.answer(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: TestService = {
    url: `http://${host}`,
    host,
    requests,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

/** Connections of a test, with the file of the document. */
export interface TestDocument extends AsyncDisposable {
  readonly connections: Connections;
  readonly folder: string;
  readonly log: readonly string[];
  /** Replaces the document's file. */
  write(document: object | string): void;
  /** Opens the same connection again, as another process does. */
  reopen(): Connections;
  /** Calls a tool, and returns the text for the model. */
  call(
    name: string,
    args: JsonObject,
    options?: ToolExecutorOptions & { readonly signal?: AbortSignal },
  ): Promise<string>;
  executor(options?: ToolExecutorOptions): ToolExecutor;
}

/**
 * Opens a connection to a document, without reading it.
 *
 * @param options.inProcess reads the document in this process, which takes less time. @default true
 */
export function openDocument(
  document: object | string,
  given: Partial<OpenApiConnection> = {},
  {
    inProcess = true,
    credentials,
  }: { readonly inProcess?: boolean; readonly credentials?: CredentialSource } = {},
): TestDocument {
  const folder = mkdtempSync(join(tmpdir(), "capstan-openapi-"));
  const file = join(folder, "document.json");
  const write = (text: object | string) =>
    writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
  write(document);
  const log: string[] = [];
  const opened: Connections[] = [];
  const open = () => {
    const connection: OpenApiConnection = {
      type: "openapi",
      name: "pets",
      document: file,
      variables: {},
      credentials: {},
      headers: {},
      ...given,
    };
    const connections = openConnections({
      connections: [connection],
      folder,
      host: {
        version: "1",
        programs: { sandbox: unconfined, hidden: [], protected: [] },
        log: (line) => void log.push(line),
        ...(credentials && { credentials }),
      },
      watch: false,
      ...(inProcess && {
        readDocument: ({ text, options }) => Promise.resolve(readDocument(text, options)),
      }),
    });
    opened.push(connections);
    return connections;
  };
  const connections = open();
  const executor = (options: ToolExecutorOptions = {}) => {
    const made = new ToolExecutor({ rules: [{ tool: "*", execution: "auto" }], ...options });
    for (const group of connections.groups) {
      made.registerToolGroup(group);
      made.toggleGroupEnabled(group.name, true);
    }
    return made;
  };
  return {
    connections,
    folder,
    log,
    write,
    reopen: open,
    executor,
    async call(name, args, options = {}) {
      const { signal, ...rest } = options;
      return textOf(await executor(rest).execute(name, args, { ...(signal && { signal }) }));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((one) => one.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
