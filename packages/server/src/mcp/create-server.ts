import { type JsonObject, VariableSystem } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { ProtocolError, ProtocolErrorCode, Server, type Tool } from "../libraries/mcp-server.ts";
import { awaitCall, callTool, type McpParts } from "./call-tool.ts";
import { callAny, findListed, innerCall, listedDefinitions, searchTools } from "./find-tools.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { type Exchange, exchangeOf } from "./protocol/exchange.ts";
import { type ListedTool, listTools, pageOf } from "./protocol/tool-list.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";

const instructions = `Capstan runs these tools after its own checks, and records each call.
- A call can need the approval of a user. Its result then says so; call ${awaitCall} with the id in it, or call the tool again with the same arguments. Do not try another way meanwhile.
- If there is ${searchTools}, it finds further tools, and ${callAny} calls them.
- A long result is truncated and stored in full under a name. ReadVar reads the rest. An argument "$VAR_REF{{name}}" passes the full value to another tool.`;

/** The definition of the tool that waits for a call. */
const awaitTool: Tool = {
  name: awaitCall,
  title: "Wait for a call",
  description:
    "Waits for a call that waits for approval or still runs, and returns its result. The id is in the result of that call.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string", description: "The id of the call." } },
    required: ["id"],
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

/** Creates the MCP server of one session, or of one request without a session. */
export function createMcpServer(parts: McpParts): Server {
  const { services, options } = parts;
  const { extend } = options;
  const cached = { ttlMs: 60_000, cacheScope: "private" } as const;
  const server = new Server(
    { name: "capstan", title: "Capstan", version: services.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        ...extend?.capabilities,
      },
      instructions,
      cacheHints: { "tools/list": cached, "prompts/list": cached, "server/discover": cached },
    },
  );
  server.setRequestHandler("tools/list", ({ params }, context) =>
    answer(parts, async () => {
      const tools = await listedTools(parts, exchangeOf(context));
      const all = listedDefinitions(tools, { max: options.listedTools, common: [awaitTool] });
      const { page, ...more } = requirePage(pageOf(all, params?.cursor));
      return { tools: [...page], ...more };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    extend?.onCall(context, name);
    const exchange = exchangeOf(context);
    if (name === awaitCall)
      return callTool(
        parts,
        { server, context },
        { name, args: args as JsonObject, tool: undefined },
      );
    if (name !== searchTools && name !== callAny) {
      const tool = await toolOf(parts, exchange, name);
      return callTool(parts, { server, context }, { name, args: args as JsonObject, tool });
    }
    const session = { owner: exchange.principal, id: "mcp" };
    const { toolSearch } = services.runs;
    const tools = await answer(parts, () => listedTools(parts, exchange));
    if (name === searchTools) {
      const { signal } = context.mcpReq;
      return answer(parts, () => findListed(toolSearch, tools, { session, args, signal }));
    }
    const call = innerCall(tools, args);
    if ("problem" in call) return call.problem;
    toolSearch.called(session, call.tool.registered.id);
    return callTool(parts, { server, context }, { ...call, args: call.args as JsonObject });
  });
  server.setRequestHandler("resources/list", ({ params }, context) =>
    answer(parts, async () => {
      const all = await listResources(parts, exchangeOf(context).principal);
      const { page, ...more } = requirePage(pageOf(all, params?.cursor, 100));
      return { resources: [...page], ...more };
    }),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [...resourceTemplates],
  }));
  server.setRequestHandler("resources/read", ({ params }, context) =>
    answer(parts, () => readResource(parts, exchangeOf(context), params.uri)),
  );
  server.setRequestHandler("prompts/list", ({ params }, context) =>
    answer(parts, async () => {
      const all = await listPrompts(services, exchangeOf(context));
      const { page, ...more } = requirePage(pageOf([...all.values()], params?.cursor, 100));
      return { prompts: page.map(({ prompt }) => prompt), ...more };
    }),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    answer(parts, () => getPrompt(services, exchangeOf(context), params.name)),
  );
  extend?.onServer(server);
  return server;
}

/** Clients get the errors of the protocol, and nothing of the server's own errors. */
async function answer<T>({ log }: McpParts, handler: () => Promise<T>): Promise<T> {
  try {
    return await handler();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    log(`An MCP request failed: ${errorMessage(thrown)}`);
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "The server failed to answer this request. Its log has the details.",
    );
  }
}

async function toolOf(parts: McpParts, exchange: Exchange, name: string): Promise<ListedTool> {
  const tool = await answer(parts, async () => (await listedTools(parts, exchange)).get(name));
  if (tool !== undefined) return tool;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${name.slice(0, 100)}" here. tools/list has the names of all tools.`,
  );
}

async function listedTools(
  { services }: McpParts,
  { principal, group }: Exchange,
): Promise<ReadonlyMap<string, ListedTool>> {
  const executor = services.createExecutor({
    variables: new VariableSystem(),
    overrides: await services.runs.overrides.of(principal),
    principal: { id: principal },
  });
  return listTools(executor, { group, reserved: [awaitCall, searchTools, callAny] });
}

function requirePage<T>(page: T | undefined): T {
  if (page !== undefined) return page;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "cursor: there is no such page. Start again without a cursor.",
  );
}
