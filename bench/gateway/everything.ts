import { join } from "node:path";
import { root } from "../../scripts/command.ts";

const program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/** The command of the published test server of MCP, on standard input and output. */
export const everything = {
  command: process.execPath,
  args: [join(root, program), "stdio"],
} as const;
