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

/** The largest message, in bytes. Models write shorter arguments, and programs can pass references. */
const messageBytes = 1_048_576;

/** The memory of a call, as a multiple of its message: its arguments, its records and their rows. */
const copies = 8;

/** The memory of a resource's contents until they are written, as a multiple of their size. */
const copiesOfContents = 4;

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
    const reserved = [budget.takeStream(principal)];
    let hasEnded = false;
    const release = () => {
      hasEnded = true;
      for (const free of reserved) free();
    };
    const reserve = (bytes: number) => reserved.push(budget.take(principal, copies * bytes));
    let body: unknown;
    try {
      body = raw.method === "POST" ? await readMessage(raw, reserve) : undefined;
    } catch (thrown) {
      release();
      throw thrown;
    }
    if (body instanceof Response) {
      release();
      return body;
    }
    const exchange = {
      principal,
      group: context.req.param("group"),
      origin: new URL(raw.url).origin,
      headers: passedHeaders(raw.headers, services.passedHeaders),
      disconnected: raw.signal,
      abandon: new AbortController(),
      readReserved: <T>(bytes: number, read: () => Promise<T>) =>
        budget.readOneByOne(principal, async () => {
          // Memory that is reserved after the end would never be released.
          if (hasEnded) throw new Error("The client has left.");
          reserved.push(budget.take(principal, copiesOfContents * bytes));
          return read();
        }),
      onWritten: [],
      onEnd: [release],
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

/**
 * Returns the message of a request, or the error response for a body that cannot be parsed.
 *
 * @param reserve reserves memory for bytes that arrive
 */
async function readMessage(request: Request, reserve: (bytes: number) => void): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of decodedBody(request)) {
    size += piece.length;
    if (size > messageBytes) throw tooLong();
    reserve(piece.length);
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
