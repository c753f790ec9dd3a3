import { type Context, Hono } from "hono";
import { errorMessage } from "@capstan/core/host";
import { decodedBody } from "../http/decode-body.ts";
import { RequestError } from "../http/errors.ts";
import { parseLimited } from "../http/read-body.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { Environment, Services } from "../http/services.ts";
import { passedHeaders } from "../http/tools/request-data.ts";
import type { McpEndpoint } from "./endpoint.ts";
import type { McpOptions } from "./mcp-options.ts";

/** The largest message, in bytes. */
const messageBytes = 4 * 1_048_576;

/** Routes of the MCP server: the tools of all groups, and of one group. */
export function mcpRoutes(
  services: Services,
  {
    options,
    budget,
    log,
  }: {
    readonly options: McpOptions;
    readonly budget: MemoryBudget;
    readonly log: (line: string) => void;
  },
): Hono<Environment> {
  const routes = new Hono<Environment>();
  let loaded: Promise<McpEndpoint> | undefined;
  // A server that no program uses does not load the SDK.
  const endpoint = () =>
    (loaded ??= import("./endpoint.ts").then(({ createMcpEndpoint }) =>
      createMcpEndpoint(services, { options, log }),
    ));

  const serve = async (context: Context<Environment>): Promise<Response> => {
    const { raw } = context.req;
    const principal = context.get("principal");
    const body = raw.method === "POST" ? await readMessage(raw) : undefined;
    if (body instanceof Response) return body;
    const exchange = {
      principal,
      group: context.req.param("group"),
      origin: new URL(raw.url).origin,
      headers: passedHeaders(raw.headers, services.passedHeaders),
      disconnected: raw.signal,
      abandon: new AbortController(),
      onWritten: [],
      onEnd: [budget.takeStream(principal)],
    };
    try {
      return await (await endpoint()).serve(raw, { exchange, body });
    } catch (thrown) {
      for (const end of exchange.onEnd) end();
      if (!(thrown instanceof RequestError)) log(`MCP: ${errorMessage(thrown)}`);
      throw thrown;
    }
  };

  for (const path of ["/", "/groups/:group"]) {
    routes.get(path, serve);
    routes.post(path, serve);
    routes.delete(path, serve);
  }
  return routes;
}

/** Returns the message of a request, or the error response for a body that cannot be parsed. */
async function readMessage(request: Request): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of decodedBody(request)) {
    size += piece.length;
    if (size > messageBytes) throw tooLong();
    pieces.push(piece);
  }
  try {
    return parseLimited(Buffer.concat(pieces));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const error = { code: -32_700, message: `The body cannot be read: ${thrown.message}` };
    return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
  }
}

function tooLong(): RequestError {
  return new RequestError({
    status: 413,
    code: "request_too_large",
    message: `The message has more than ${messageBytes} bytes. Pass long values by reference: $VAR_REF{{name}}.`,
  });
}
