import { randomUUID } from "node:crypto";
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "../../libraries/mcp-server.ts";
import { badRequest, RequestError } from "../../http/errors.ts";
import { authInfoOf, type Exchange } from "./exchange.ts";
import type { SessionLimits } from "./session-limits.ts";

interface Session {
  readonly id: string;
  readonly principal: string;
  readonly group: string | undefined;
  readonly protocolVersion: unknown;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  usedAt: number;
  /** Responses that are not written to their end. */
  open: number;
}

/** Creates the sessions of an endpoint. A session belongs to the principal and the address that started it. */
export function createSessions({
  limits,
  now,
  createServer,
}: {
  readonly limits: SessionLimits;
  readonly now: () => number;
  readonly createServer: () => Server;
}) {
  const sessions = new Map<string, Session>();

  function end(session: Session): void {
    sessions.delete(session.id);
    session.server.close().catch(() => {});
  }

  function endUnusedSessions(principal: string): void {
    for (const session of sessions.values())
      if (session.open === 0 && now() - session.usedAt >= limits.idleMs) end(session);
    const own = [...sessions.values()].filter((session) => session.principal === principal);
    if (own.length < limits.sessionsOfOne) return;
    const [oldest] = own
      .filter(({ open }) => open === 0)
      .toSorted((one, other) => one.usedAt - other.usedAt);
    if (oldest === undefined) throw tooManySessions(limits.sessionsOfOne);
    end(oldest);
  }

  async function begin({ principal, group }: Exchange, protocolVersion: unknown): Promise<Session> {
    endUnusedSessions(principal);
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => {
        const session = sessions.get(id);
        if (session !== undefined) end(session);
      },
    });
    const server = createServer();
    await server.connect(transport);
    const session = {
      id,
      principal,
      group,
      protocolVersion,
      transport,
      server,
      usedAt: now(),
      open: 0,
    };
    sessions.set(id, session);
    return session;
  }

  /** The same error for a session that does not exist and for one of another principal. */
  function find(id: string, { principal, group }: Exchange): Session | undefined {
    const session = sessions.get(id);
    return session?.principal === principal && session.group === group ? session : undefined;
  }

  return {
    /** Serves a request of a session, or starts a session. */
    async serve(
      request: Request,
      { exchange, body }: { readonly exchange: Exchange; readonly body: unknown },
    ): Promise<Response> {
      const id = request.headers.get("mcp-session-id");
      const initialize = id === null ? initializeVersion(body) : undefined;
      if (id === null && initialize === undefined) throw noSession();
      const session = id === null ? await begin(exchange, initialize?.version) : find(id, exchange);
      if (session === undefined)
        return rpcError(404, -32_001, "There is no such session. Send initialize to start one.");
      if (Array.isArray(body) && session.protocolVersion !== "2025-03-26") throw noBatches();
      session.open++;
      session.usedAt = now();
      exchange.onEnd.push(() => {
        session.open--;
        session.usedAt = now();
      });
      const options = { authInfo: authInfoOf(exchange) };
      const response = await session.transport.handleRequest(
        request,
        body === undefined ? options : { ...options, parsedBody: body },
      );
      // A rejected initialize leaves no session behind.
      if (id === null && !response.ok) end(session);
      return response;
    },

    /** Calls a function for the server of each session. */
    notify(send: (server: Server) => Promise<void>): void {
      for (const { server } of sessions.values()) send(server).catch(() => {});
    },

    get size(): number {
      return sessions.size;
    },
  };
}

function initializeVersion(body: unknown): { readonly version: unknown } | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: unknown };
  if (method !== "initialize") return undefined;
  return { version: (params as { protocolVersion?: unknown } | undefined)?.protocolVersion };
}

/** Returns an error in the form of JSON-RPC. */
export function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}

function noSession(): RequestError {
  return badRequest(
    "mcp-session-id",
    "Mcp-Session-Id: expected the id of a session. Send initialize without the header to start one.",
  );
}

function noBatches(): RequestError {
  return badRequest("request", "Batches are not supported: send one message per request.");
}

function tooManySessions(most: number): RequestError {
  return new RequestError({
    status: 429,
    type: "rate_limit_error",
    code: "too_many_sessions",
    message: `This key has ${most} open MCP sessions, which is the limit. End one with DELETE, or close its streams.`,
    retryAfterSeconds: 30,
  });
}
