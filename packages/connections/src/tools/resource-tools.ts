import {
  contentParts,
  defineTool,
  isToolError,
  type Tool,
  type ToolContext,
  type ToolError,
  toolError,
} from "@capstan/core";
import { visibleText } from "@capstan/core/text";
import { z } from "zod";
import { listPages, type OpenClient } from "../client/open-client.ts";
import type { Connection } from "../definition/connection.ts";
import { connectionErrors, ConnectionError } from "../transport/connection-error.ts";
import { readParts, resourcePart } from "./call-result.ts";
import { callServer, type ServerRequest } from "./call-server.ts";
import type { ServerUse } from "./connection-group.ts";

/** The maximum number of entries of a list that a call returns. */
const mostEntries = 500;
/** Time limit for each page of a list, in milliseconds. */
const listMs = 30_000;

type Server = Pick<ServerUse, "use">;

/** The administrator connected the server, so one approval covers all reads from the server. */
const reads = {
  effects: "read",
  permission: { executionPolicy: "ask-once" },
  errors: connectionErrors,
} as const;

/** Returns the tools that list and read the resources of a server. */
export function resourceTools(connection: Connection, server: Server): readonly Tool[] {
  const { name } = connection;
  return [
    defineTool({
      name: "ListResources",
      description: `Lists the resources of ${name}, and the templates of their addresses.`,
      ...reads,
      examples: [{ title: "Lists the resources.", args: {} }],
      execute: (_args, context) =>
        listed(connection, context, server, async (client, signal) => {
          const options = { name, timeout: listMs, signal };
          const resources = await listPages(client, "resources/list", "resources", options);
          const templates = await listPages(
            client,
            "resources/templates/list",
            "resourceTemplates",
            options,
          ).catch(() => []);
          return {
            resources: entriesOf(resources, [
              "uri",
              "name",
              "title",
              "description",
              "mimeType",
              "size",
            ]),
            templates: entriesOf(templates, [
              "uriTemplate",
              "name",
              "title",
              "description",
              "mimeType",
            ]),
          };
        }),
    }),
    defineTool({
      name: "ReadResource",
      description: `Reads a resource of ${name}.`,
      parameters: z.object({
        uri: z.string().min(1).max(2_000).describe("An address that ListResources lists."),
      }),
      ...reads,
      examples: [{ title: "Reads a resource.", args: { uri: "demo://resource/static/1" } }],
      async execute({ uri }, context) {
        const raw = await ask(connection, server, context, {
          method: "resources/read",
          params: { uri },
        });
        if (isToolError(raw)) return raw;
        const contents = Array.isArray(raw["contents"]) ? (raw["contents"] as unknown[]) : [];
        const parts = contents
          .slice(0, 100)
          .flatMap((one) => (isObject(one) ? (resourcePart(one) ?? []) : []));
        return contentParts(
          parts.length > 0 ? parts : [{ type: "text", text: "The resource is empty." }],
        );
      },
    }),
  ];
}

/** Returns the tools that list and read the prompts of a server. */
export function promptTools(connection: Connection, server: Server): readonly Tool[] {
  const { name } = connection;
  return [
    defineTool({
      name: "ListPrompts",
      description: `Lists the prompts of ${name}: texts for common tasks.`,
      ...reads,
      examples: [{ title: "Lists the prompts.", args: {} }],
      execute: (_args, context) =>
        listed(connection, context, server, async (client, signal) => ({
          prompts: entriesOf(
            await listPages(client, "prompts/list", "prompts", {
              name,
              timeout: listMs,
              signal,
            }),
            ["name", "title", "description", "arguments"],
          ),
        })),
    }),
    defineTool({
      name: "GetPrompt",
      description: `Reads a prompt of ${name}.`,
      parameters: z.object({
        name: z.string().min(1).max(256).describe("A name that ListPrompts lists."),
        arguments: z.record(z.string(), z.string()).optional(),
      }),
      ...reads,
      examples: [{ title: "Reads a prompt.", args: { name: "simple-prompt" } }],
      async execute({ name: prompt, arguments: given }, context) {
        const raw = await ask(connection, server, context, {
          method: "prompts/get",
          params: { name: prompt, ...(given && { arguments: given }) },
        });
        if (isToolError(raw)) return raw;
        const messages = Array.isArray(raw["messages"]) ? (raw["messages"] as unknown[]) : [];
        const { parts } = readParts(
          messages.map((message) => (isObject(message) ? message["content"] : undefined)),
        );
        return contentParts(
          parts.length > 0 ? parts : [{ type: "text", text: "The prompt is empty." }],
        );
      },
    }),
  ];
}

function ask(
  connection: Connection,
  server: Server,
  context: ToolContext,
  request: ServerRequest,
): ReturnType<typeof callServer> {
  return callServer(connection, request, {
    context,
    group: connection.name,
    mayRepeat: true,
    use: (signal, work) => server.use(context.principal.id, signal, work),
  });
}

async function listed<T>(
  connection: Connection,
  { principal, signal }: ToolContext,
  server: Server,
  read: (client: OpenClient["client"], signal: AbortSignal) => Promise<T>,
): Promise<T | ToolError> {
  try {
    return await server.use(principal.id, signal, ({ client }) => read(client, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ConnectionError) return toolError(thrown.data);
    return toolError({
      code: "rejected",
      message: `The server of ${connection.name} does not list them.`,
    });
  }
}

function entriesOf(items: readonly unknown[], keys: readonly string[]): readonly object[] {
  return items.slice(0, mostEntries).flatMap((item) => {
    if (!isObject(item)) return [];
    const entries = keys.flatMap((key) => {
      const value = item[key];
      if (value === undefined) return [];
      return [[key, typeof value === "string" ? visibleText(value.slice(0, 1_000)) : value]];
    });
    return [Object.fromEntries(entries) as object];
  });
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
