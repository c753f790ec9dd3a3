import { join } from "node:path";
import type { SearchableTool } from "@capstan/core/search";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { root } from "../../scripts/command.ts";
import { documentedGroups } from "../../scripts/tools-reference/documented-groups.ts";
import { apiOperations } from "./api-operations.ts";

/** The programs of the MCP servers whose tools are in the corpus, with their arguments. */
const servers: { readonly [group: string]: readonly string[] } = {
  everything: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js"],
  filesystem: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", root],
  browser: ["bench/node_modules/@playwright/mcp/cli.js", "--headless"],
};

/**
 * Returns the tools in which the labelled queries are searched: the built-in groups, three MCP
 * servers as they list their tools, and operations of invented services.
 */
export async function loadCorpus(): Promise<readonly SearchableTool[]> {
  const tools: SearchableTool[] = [];
  for (const group of documentedGroups("/work", "/work-changes"))
    for (const { definition } of group.tools)
      tools.push({ id: `${group.name}.${definition.function.name}`, definition, group });
  for (const [name, [script = "", ...args]] of Object.entries(servers))
    tools.push(...(await listServer(name, [join(root, script), ...args])));
  for (const [name, lines] of Object.entries(apiOperations))
    for (const line of lines.trim().split("\n")) tools.push(operation(name, line));
  return tools;
}

async function listServer(
  name: string,
  args: readonly string[],
): Promise<readonly SearchableTool[]> {
  const client = new Client({ name: "capstan-bench", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name: tool, description = "", inputSchema }) => ({
    id: `${name}.${tool}`,
    definition: {
      type: "function",
      function: { name: tool, description, parameters: inputSchema },
    },
    group: { name },
  }));
}

function operation(group: string, line: string): SearchableTool {
  const [name = "", description = "", names = ""] = line.split("|").map((part) => part.trim());
  const properties = Object.fromEntries(
    names.split(", ").flatMap((each) => (each === "" ? [] : [[each, { type: "string" }]])),
  );
  return {
    id: `${group}.${name}`,
    definition: {
      type: "function",
      function: { name, description, parameters: { type: "object", properties } },
    },
    group: { name: group },
  };
}
