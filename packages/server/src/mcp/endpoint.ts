import type { Clock } from "@capstan/core";
import type { Services } from "../http/services.ts";
import { createMcpHandler, isLegacyRequest } from "../libraries/mcp-server.ts";
import type { McpParts } from "./call-tool.ts";
import { createProgramCalls } from "./calls/program-calls.ts";
import { createProgramConversations } from "./calls/program-conversation.ts";
import { createMcpServer } from "./create-server.ts";
import type { McpOptions } from "./mcp-options.ts";
import { authInfoOf, type Exchange, watchDelivery } from "./protocol/exchange.ts";
import { createSessions } from "./protocol/sessions.ts";

/** The MCP endpoint of a server. */
export type McpEndpoint = ReturnType<typeof createMcpEndpoint>;

/** Its timers do not keep the process alive. */
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Creates the endpoint. Clients with the protocol version 2026-07-28 send requests without a
 * session; clients with earlier versions have sessions.
 */
export function createMcpEndpoint(
  services: Services,
  { options, log }: { readonly options: McpOptions; readonly log: (line: string) => void },
) {
  const { runs } = services;
  const { graceMs, unstored } = options;
  const isStored = (owner: string) => !unstored.includes(owner) && !unstored.includes("*");
  const conversations = createProgramConversations(runs, { isStored, clock });
  const calls = createProgramCalls({ runs, conversations, graceMs, clock, log });
  const parts: McpParts = { services, options, calls, conversations, log };
  const createServer = () => createMcpServer(parts);
  const modern = createMcpHandler(createServer, { legacy: "reject" });
  const sessions = createSessions({ limits: options, now: () => clock.monotonic(), createServer });

  // Notifies programs about changed script files.
  services.scripts?.subscribe(() => {
    modern.notify.toolsChanged();
    sessions.notify((server) => server.sendToolListChanged());
  });

  return {
    /**
     * Serves a request.
     *
     * @param body its parsed JSON, if it has a body
     */
    async serve(
      request: Request,
      { exchange, body }: { readonly exchange: Exchange; readonly body: unknown },
    ): Promise<Response> {
      const response = (await isLegacyRequest(request, body))
        ? await sessions.serve(request, { exchange, body })
        : await modern.fetch(request, { authInfo: authInfoOf(exchange), parsedBody: body });
      return watchDelivery(response, exchange, { isAnswer: request.method === "POST" });
    },
  };
}
