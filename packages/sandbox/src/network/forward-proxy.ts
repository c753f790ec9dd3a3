import type { DeniedResources } from "@capstan/core";
import {
  createServer,
  type IncomingMessage,
  request as requestUpstream,
  type ServerResponse,
} from "node:http";
import { connect, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import type { ResolvedAddress, ResolveHost } from "./checked-agent.ts";
import { type NetworkAccess, type Reach, reachable } from "./network-access.ts";

export interface ForwardProxy {
  /** Ends every connection through it. */
  close(): void;
}

/** Maximum number of simultaneous connections of one program. */
const maxConnections = 128;
const defaultConnectTimeoutMs = 15_000;

/**
 * Opens an HTTP proxy on a Unix socket: the only access of a confined program to the network. It
 * connects to allowed addresses and answers other requests with the reason.
 *
 * @param options.path the path of the socket, which exists when this returns
 * @param options.connectTimeoutMs the time limit for a connection to a service. @default 15000
 */
export function openForwardProxy(options: {
  readonly path: string;
  readonly access: NetworkAccess;
  /** @default no host is denied */
  readonly denied?: Pick<DeniedResources, "hosts"> | undefined;
  readonly resolve: ResolveHost;
  readonly connectTimeoutMs?: number;
}): ForwardProxy {
  const { connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const reach = reachable(options.access, options.resolve, options.denied);
  const upstream = new Set<Socket>();
  const server = createServer();
  server.maxConnections = maxConnections;
  server.on("request", (request, response) => {
    void passOn({ request, response, reach, connectTimeoutMs });
  });
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel({ request, socket, head, reach, upstream, connectTimeoutMs });
  });
  const clients = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
    socket.on("error", () => {});
  });
  server.listen(options.path);
  // A worker that waits for its next call must not keep this process alive.
  server.unref();
  return {
    close() {
      server.close();
      for (const socket of [...clients, ...upstream]) socket.destroy();
    },
  };
}

type AskReach = (target: URL) => Promise<Reach>;

/** The request line contains a whole address: the request is HTTP. */
async function passOn(options: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reach: AskReach;
  readonly connectTimeoutMs: number;
}): Promise<void> {
  const { request, response, reach } = options;
  const refuse = (status: number, message: string) => {
    response.writeHead(status, oneLine(message), {
      "content-type": "text/plain; charset=utf-8",
      connection: "close",
    });
    response.end(`${message}\n`);
  };
  const target = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
  if (target?.protocol !== "http:")
    return refuse(
      400,
      "This is a proxy: it accepts http:// addresses, and CONNECT for all others.",
    );
  const found = await reach(target);
  if (found.status !== "open") return refuse(statusOf(found), found.message);
  const upstream = requestUpstream({
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: target.port === "" ? 80 : target.port,
    path: target.pathname + target.search,
    method: request.method,
    headers: ["host", target.host, ...withoutHops(request.rawHeaders, ["host"])],
    setHost: false,
    agent: false,
    lookup: answering(found.addresses),
  });
  const fail = (error: Error) => {
    if (response.headersSent) response.destroy();
    else refuse(502, failed(target, error));
  };
  upstream.once("socket", (socket) => limitConnecting(socket, options.connectTimeoutMs));
  upstream.once("response", (answer) => {
    const { statusCode = 502, statusMessage, rawHeaders } = answer;
    try {
      response.writeHead(statusCode, statusMessage, withoutHops(rawHeaders));
    } catch (error) {
      // Node.js accepts some headers that it refuses to write.
      answer.destroy();
      fail(error as Error);
      return;
    }
    pipeline(answer, response, () => {});
  });
  upstream.once("upgrade", (_, socket) => {
    socket.destroy();
    fail(new Error("it speaks another protocol"));
  });
  upstream.once("error", fail);
  response.once("close", () => upstream.destroy());
  pipeline(request, upstream, () => {});
}

/** `CONNECT host:port`: HTTPS, and any other protocol over one connection. */
async function tunnel(options: {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly reach: AskReach;
  readonly upstream: Set<Socket>;
  readonly connectTimeoutMs: number;
}): Promise<void> {
  const { request, socket, head, reach, upstream } = options;
  const refuse = (status: number, message: string) =>
    socket.end(`HTTP/1.1 ${status} ${oneLine(message)}\r\nconnection: close\r\n\r\n`);
  // Only host and port are accepted: for `a:1/:2`, the proxy would check one port and connect to
  // the other.
  const port = /^(?:\[[^\]]+\]|[^\s:/?#@\\[\]]+):(\d+)$/.exec(request.url ?? "")?.[1];
  const written = `https://${request.url ?? ""}`;
  if (port === undefined || !URL.canParse(written)) {
    refuse(400, "CONNECT takes host:port.");
    return;
  }
  const target = new URL(written);
  const found = await reach(target);
  if (found.status !== "open") {
    refuse(statusOf(found), found.message);
    return;
  }
  const outside = connect({
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: Number(port),
    allowHalfOpen: true,
    lookup: answering(found.addresses),
  });
  upstream.add(outside);
  limitConnecting(outside, options.connectTimeoutMs);
  outside.once("close", () => upstream.delete(outside));
  outside.once("error", (error) => refuse(502, failed(target, error)));
  outside.once("connect", () => {
    outside.removeAllListeners("error");
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    outside.write(head);
    pipeline(socket, outside, () => {});
    pipeline(outside, socket, () => {});
  });
  socket.once("close", () => outside.destroy());
}

/** The time limit covers only the connection, not the service's answer. */
function limitConnecting(socket: Socket, timeoutMs: number): void {
  const giveUp = () => socket.destroy(new Error("it does not answer"));
  socket.setTimeout(timeoutMs, giveUp);
  socket.once("connect", () => socket.setTimeout(0, giveUp));
}

function statusOf({ status }: Reach): number {
  return status === "refused" ? 403 : 502;
}

/** Returns the checked addresses without a new lookup. */
function answering(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

const hops = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** Removes hop-by-hop headers, and those that `Connection` names. */
function withoutHops(raw: readonly string[], more: readonly string[] = []): string[] {
  const nameAt = (index: number) => (raw[index - (index % 2)] ?? "").toLowerCase();
  const named = raw.flatMap((value, index) =>
    index % 2 === 1 && nameAt(index) === "connection" ? value.toLowerCase().split(/[\s,]+/) : [],
  );
  const dropped = new Set([...hops, ...more, ...named]);
  return raw.filter((_, index) => !dropped.has(nameAt(index)));
}

function failed({ host }: URL, { message }: Error): string {
  return `${host} cannot be reached: ${message}.`;
}

/** Clients show only the status line of a refused tunnel. */
function oneLine(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]+/g, " ");
}
