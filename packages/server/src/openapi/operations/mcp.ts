import type { Operations, Schema } from "../schemas/operation.ts";

/** A message of JSON-RPC. */
const message: Schema = {
  type: "object",
  required: ["jsonrpc"],
  properties: { jsonrpc: { const: "2.0" } },
};

const description =
  "The messages are those of MCP, with the protocol versions up to 2026-07-28. Versions before 2026-07-28 have sessions: `initialize` starts one, and later requests name it with the header `Mcp-Session-Id`.";

function operationsOf(path: string, tools: string): Operations {
  return {
    [`POST ${path}`]: {
      summary: `Send a message to the MCP server with ${tools}`,
      description,
      body: message,
      answer: { type: "either", schema: message, event: message },
      asksModel: false,
    },
    [`GET ${path}`]: {
      summary: `Receive the notifications of a session with ${tools}`,
      answer: { type: "events", schema: message },
    },
    [`DELETE ${path}`]: {
      summary: `End a session with ${tools}`,
      answer: { type: "json", schema: {} },
    },
  };
}

/** The routes of the MCP server. */
export const mcpOperations: Operations = {
  ...operationsOf("/mcp", "the tools of all groups"),
  ...operationsOf("/mcp/groups/:group", "the tools of one group"),
};
