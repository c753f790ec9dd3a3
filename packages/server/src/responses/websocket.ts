import { splitEvents } from "./split-events.ts";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { newId, noUsage } from "@capstan/core/host";
import { badRequest, errorResponse, isObject, RequestError } from "../http/errors.ts";
import type { MemoryBudget, Release } from "../http/memory-budget.ts";
import { parseBytes, setJson } from "../http/read-body.ts";
import type { Connection, Environment } from "../http/services.ts";
import { emptyStats } from "../runs/active/close-run.ts";
import { sessionHeaders } from "../runs/history/session-marks.ts";
import { countFrames } from "./frame-budget.ts";
import { createProjection } from "./projection/project-events.ts";
import { withUncheckedFiles } from "../http/files/stored-files.ts";
import { parseCreateRequest } from "./request/parse-request.ts";

type Fetch = (request: Request, bindings?: Environment["Bindings"]) => Response | Promise<Response>;

export interface WebSocketOptions {
  readonly server: Server;
  /**
   * Serves a request of the HTTP API. Each turn is such a request, so all checks of the HTTP API
   * apply.
   */
  readonly fetch: Fetch;
  /** Names of headers that tools get, in lower case; see `passedHeaders`. @default none */
  readonly passedHeaders?: readonly string[] | undefined;
  /** The memory of frames, requests and responses. */
  readonly budget: MemoryBudget;
  /** Largest frame, in bytes. */
  readonly bodyBytes: number;
  /** Milliseconds after which a connection is closed. @default one hour */
  readonly lifetimeMs?: number;
  /** Milliseconds between pings; a peer that does not answer one is disconnected. @default 30,000 */
  readonly pingMs?: number;
  /** Maximum number of open connections. @default 1,000 */
  readonly most?: number;
}

const path = "/v1/responses";

/**
 * Serves the WebSocket mode of the Responses API: each `response.create` frame is a request, whose
 * events are frames. A connection has one response at a time.
 *
 * @returns a function that disconnects all clients
 */
export function serveWebSockets(options: WebSocketOptions): () => void {
  const {
    server,
    fetch,
    budget,
    bodyBytes,
    lifetimeMs = 3_600_000,
    pingMs = 30_000,
    most = 1_000,
  } = options;
  /** Loaded at the first upgrade, because most servers get none. */
  let sockets: WebSocketServer | undefined;

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname !== path) return reject(socket, new Response(null, { status: 404 }));
    const ws = await import("ws");
    sockets ??= new ws.WebSocketServer({
      noServer: true,
      maxPayload: bodyBytes,
      autoPong: false,
    });
    const { clients } = sockets;
    if (clients.size >= most) return reject(socket, new Response(null, { status: 503 }));
    const headers = headersOf(request, options.passedHeaders);
    // The checks of any request: keys, pairing, host and origin.
    const connection: Connection = { passing: new Set() };
    const check = new Request(urlOf(headers, "/v1/capstan"), { headers });
    const answer = await fetch(check, { connection });
    if (!answer.ok) return reject(socket, answer);
    const { principal = "" } = connection;
    try {
      socket.once("close", budget.takeStream(principal));
    } catch (thrown) {
      if (!(thrown instanceof RequestError)) throw thrown;
      return reject(socket, errorResponse(thrown));
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const shared = { fetch, headers, lifetimeMs, pingMs, budget, connection };
      serveConnection(client, { ...shared, socket, principal });
    });
  };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
  return () => {
    for (const client of sockets?.clients ?? []) client.terminate();
  };
}

/** The headers that identify a client and its session. */
const forwarded = [
  "host",
  "origin",
  "authorization",
  "cookie",
  "x-csrf-token",
  ...sessionHeaders,
] as const;

function headersOf({ headers }: IncomingMessage, passed: readonly string[] = []): Headers {
  const taken = new Headers({ "Content-Type": "application/json" });
  for (const name of [...forwarded, ...passed]) {
    const value = headers[name];
    if (typeof value === "string") taken.set(name, value);
  }
  return taken;
}

function urlOf(headers: Headers, to: string): URL {
  const host = headers.get("host") ?? "localhost";
  return URL.canParse(`http://${host}`)
    ? new URL(to, `http://${host}`)
    : new URL(to, "http://invalid");
}

async function reject(socket: Duplex, answer: Response): Promise<void> {
  const body = await answer.text();
  const lines = [
    `HTTP/1.1 ${answer.status} ${answer.statusText || "Rejected"}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

interface ConnectionOptions extends Pick<WebSocketOptions, "fetch" | "budget"> {
  readonly socket: Duplex;
  readonly connection: Connection;
  readonly principal: string;
  readonly headers: Headers;
  readonly lifetimeMs: number;
  readonly pingMs: number;
}

/**
 * The maximum number of responses without a model that continue each other: each parses the input of
 * all earlier ones again.
 */
const mostChained = 10;

function tooManyPrepared(): RequestError {
  const message = `At most ${mostChained} responses with "generate": false can continue each other. Send the whole input in one frame.`;
  return badRequest("previous_response_id", message);
}

/** The maximum number of errors and pongs that wait until a client reads them. */
const mostUnread = 100;

function serveConnection(client: WebSocket, options: ConnectionOptions): void {
  const { fetch, headers, lifetimeMs, pingMs, budget, connection, principal } = options;
  /**
   * The newest response that was created without a model. Only this one can be continued, because
   * each can have as many bytes as a request.
   */
  let prepared: Prepared | undefined;
  const left = new AbortController();
  let isBusy = false;
  let isAlive = true;
  let unread = 0;

  const send = (frame: string): Promise<void> =>
    new Promise((resolve) => client.send(frame, () => resolve()));
  /** Sends a short frame in reply to a frame of the client. */
  const reply = async (sending: () => Promise<void>): Promise<void> => {
    // A client that sends and does not read would fill the server's memory.
    if (++unread > mostUnread) return client.terminate();
    await sending();
    unread -= 1;
  };
  const sendError = (error: FrameError) => reply(() => send(JSON.stringify(errorFrame(error))));

  const answer = async (frame: Frame, { size, release }: ArrivedFrame): Promise<void> => {
    const { type: _type, generate, ...given } = frame;
    const body: { [name: string]: unknown } = { ...given };
    // Some clients send these fields, although they have no meaning here.
    for (const name of ["stream", "stream_options", "background"]) delete body[name];
    const previous = body["previous_response_id"];
    const isContinued = prepared !== undefined && previous === prepared.id;
    if (prepared !== undefined && isContinued) {
      delete body["previous_response_id"];
      body["input"] = [...prepared.input, ...itemsOf(body["input"])];
    }
    if (generate === false) {
      const chained = isContinued ? (prepared?.chained ?? 0) + 1 : 0;
      if (chained > mostChained) throw tooManyPrepared();
      const events = prepare(body);
      const bytes = size + (isContinued ? (prepared?.bytes ?? 0) : 0);
      release();
      // Reserved before the former one is released, so that a rejected frame changes nothing.
      const kept = budget.take(principal, bytes);
      prepared?.release();
      prepared = { id: events.id, input: itemsOf(body["input"]), bytes, chained, release: kept };
      for (const event of events.frames) await send(event);
      return;
    }
    const request = new Request(urlOf(headers, path), {
      method: "POST",
      headers,
      body: "{}",
      signal: left.signal,
    });
    setJson(request, { ...body, stream: true });
    const response = await fetch(request, { connection });
    // The run is stored, so the frame is not needed any more.
    release();
    let hasFailed = !response.ok;
    if (!response.ok) {
      const { error } = (await response.json()) as { readonly error: object };
      await send(JSON.stringify({ type: "error", status: response.status, error }));
    } else
      for await (const { type, id, text } of framesOf(response)) {
        if (type === "response.created" && id !== undefined && body["store"] === false)
          connection.passing.add(id);
        hasFailed ||= type === "error" || type === "response.failed";
        await send(text);
      }
    // After a failed continuation, the client must send its history again.
    if (hasFailed && typeof previous === "string") connection.passing.delete(previous);
  };

  const onFrame = async (bytes: Buffer, release: Release): Promise<void> => {
    const arrived = { size: bytes.length, release };
    if (isBusy)
      return sendError({
        code: "concurrent_request",
        message:
          "This connection already has a response in progress. Wait for its end, or open another connection.",
      });
    isBusy = true;
    try {
      const frame = await parseFrame(bytes);
      await ("error" in frame ? sendError(frame.error) : answer(frame.frame, arrived));
    } catch (thrown) {
      if (!left.signal.aborted) await sendError(frameError(thrown));
    } finally {
      isBusy = false;
    }
  };
  const frames = countFrames(options.socket, {
    budget,
    principal,
    onFull: (thrown) => {
      client.pause();
      void sendError(frameError(thrown)).then(() => client.terminate());
    },
  });

  const lifetime = setTimeout(() => {
    void sendError({
      status: 429,
      code: "websocket_connection_limit_reached",
      message: "This connection reached its time limit. Open a new one.",
    }).then(() => client.close(1_000));
  }, lifetimeMs);
  const pings = setInterval(() => {
    if (!isAlive) return client.terminate();
    isAlive = false;
    client.ping();
  }, pingMs);
  client.on("pong", () => (isAlive = true));
  client.on("ping", (data: Buffer) => {
    void reply(() => new Promise((resolve) => client.pong(data, false, () => resolve())));
  });
  client.on("message", (data: Buffer, isBinary) => {
    isAlive = true;
    const release = frames.takeFrame();
    void onFrame(isBinary ? noText : data, release).finally(release);
  });
  client.on("error", () => client.terminate());
  client.on("close", () => {
    clearTimeout(lifetime);
    clearInterval(pings);
    prepared?.release();
    left.abort();
  });
}

/**
 * A response that was created without a model. A response that continues it gets its input first.
 */
interface Prepared {
  readonly id: string;
  readonly input: readonly unknown[];
  readonly bytes: number;
  /** How many responses of this kind it continues. */
  readonly chained: number;
  readonly release: Release;
}

/** A frame in memory. */
interface ArrivedFrame {
  readonly size: number;
  readonly release: Release;
}

interface FrameError {
  /** @default 400 */
  readonly status?: number;
  readonly code: string;
  readonly message: string;
}

function errorFrame({ status = 400, code, message }: FrameError): object {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { type: "error", status, error: { type, code, message, param: null } };
}

type Frame = { readonly [name: string]: unknown };

/** Replaces a binary frame. This text is not JSON, so the client gets the error `invalid_json`. */
const noText = Buffer.from("binary");

async function parseFrame(
  bytes: Buffer,
): Promise<{ readonly frame: Frame } | { readonly error: FrameError }> {
  let frame: unknown;
  try {
    frame = await parseBytes(bytes);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const message = `The frame is not valid JSON: ${thrown.message.replace(/\.$/, "")}. Send one JSON object in each text frame.`;
    return { error: { code: "invalid_json", message } };
  }
  if (isObject(frame) && frame["type"] === "response.create") return { frame };
  const message = "The frame has an unknown 'type'. Expected 'response.create'.";
  return { error: { code: "unknown_event_type", message } };
}

/** Returns the error for the client from a thrown value. */
function frameError(thrown: unknown): FrameError {
  if (thrown instanceof RequestError) {
    const { status, code, message } = thrown;
    return { status, code, message };
  }
  const message = "The server failed to answer this request.";
  return { status: 500, code: "server_error", message };
}

function itemsOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return input == null || input === "" ? [] : [{ role: "user", content: input }];
}

/**
 * Returns the frames of a response without a model's answer. Clients send such a request to prepare
 * a connection.
 */
function prepare(body: Frame): { readonly id: string; readonly frames: readonly string[] } {
  const given = withUncheckedFiles({ ...body, input: body["input"] ?? [] }, "input");
  const request = parseCreateRequest(given);
  const id = newId("resp_");
  const at = Date.now();
  const { echo, model = "" } = request;
  const projection = createProjection({ responseId: id, createdAt: at, model, echo, servers: [] });
  const stats = emptyStats(at);
  const events = [
    ...projection.begin(),
    ...projection.push({ seq: 1, type: "chain.started", at, model }),
    ...projection.push({
      seq: 2,
      type: "chain.ended",
      at,
      status: "completed",
      usage: noUsage,
      stats,
    }),
  ];
  return { id, frames: events.map((event) => JSON.stringify(event)) };
}

interface ResponseFrame {
  readonly type: string | undefined;
  /** The response's id, in `response.created`. */
  readonly id: string | undefined;
  readonly text: string;
}

/** Yields the data of a response's server-sent events, without the event that marks their end. */
async function* framesOf(response: Response): AsyncGenerator<ResponseFrame, void, undefined> {
  const body = response.body?.pipeThrough(new TextDecoderStream());
  for await (const event of splitEvents(body ?? [])) {
    const text = /^data: (.*)$/m.exec(event)?.[1];
    if (text === undefined || text === "[DONE]") continue;
    const type = /^event: (.*)$/m.exec(event)?.[1];
    const id = type === "response.created" ? /"id":"(resp_\w+)"/.exec(text)?.[1] : undefined;
    yield { type, id, text };
  }
}
