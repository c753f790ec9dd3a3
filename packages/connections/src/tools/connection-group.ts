import {
  defineTool,
  defineToolGroup,
  isToolError,
  type MissingNeed,
  type Tool,
  type ToolGroup,
  withNeed,
} from "@capstan/core";
import { digest } from "@capstan/core/host";
import { z } from "zod";
import type { StoredConnection } from "../accepted/stored-connection.ts";
import { questionTool } from "../client/ask-user.ts";
import type { OpenClient } from "../client/open-client.ts";
import { type Connection, identityOf } from "../definition/connection.ts";
import type { ServerTool } from "../definition/server-tool.ts";
import { ConnectionError, connectionErrors } from "../transport/connection-error.ts";
import { callResult } from "./call-result.ts";
import { callServer } from "./call-server.ts";
import { askModelTool, type FindModel } from "./model-tool.ts";
import { promptTools, resourceTools } from "./resource-tools.ts";

/** How the tools of a group call their server. */
export interface ServerUse {
  /**
   * Runs work with the client of an owner.
   *
   * @throws ConnectionError
   */
  readonly use: <T>(
    owner: string,
    signal: AbortSignal,
    work: (client: OpenClient) => Promise<T>,
  ) => Promise<T>;
  /** Returns whether the server's definition of a tool is still the accepted one. */
  readonly isCurrent: (tool: ServerTool) => boolean;
  /** Finds the model that the server can ask. @default it can ask none */
  readonly findModel?: FindModel;
  /** The advice about a changed definition. @default to accept it with the command */
  readonly afterChange?: string;
}

/**
 * Returns the tool group of a connection: the accepted tools of its server. New
 * and changed tools are listed with a note that a user must accept them; models do not get them.
 *
 * @param stored undefined if the server was never reached
 */
export function connectionGroup(
  connection: Connection,
  stored: StoredConnection | undefined,
  server: ServerUse,
): ToolGroup {
  const { name } = connection;
  const tools = stored === undefined ? [] : shownTools(connection, stored);
  const made = tools.map(({ tool, need }) => withNeeds(need, serverTool(connection, tool, server)));
  const { resources = false, prompts = false } = stored?.features ?? {};
  const taken = new Set(tools.map(({ tool }) => tool.safeName));
  const own = [
    ...(resources ? resourceTools(connection, server) : []),
    ...(prompts ? promptTools(connection, server) : []),
    ...(made.length > 0 ? [answerTool()] : []),
    ...(made.length > 0 && connection.sampling !== undefined && server.findModel !== undefined
      ? [askModelTool(connection.sampling, server.findModel)]
      : []),
  ].filter(({ definition }) => !taken.has(definition.function.name));
  const missing = missingVariables(connection);
  return defineToolGroup({
    name,
    description:
      stored === undefined
        ? `The MCP server ${addressOf(connection)}. It has not been reached yet.`
        : `The MCP server ${addressOf(connection)}.`,
    tools: [...made, ...own].map((tool) => withNeeds(missing, tool)),
  });
}

function withNeeds(need: MissingNeed | undefined, tool: Tool): Tool {
  return withNeed(need, [tool])[0] ?? tool;
}

/** Returns the program or URL of a connection, without arguments and query, which can be secret. */
export function addressOf(connection: Connection): string {
  if (connection.type === "program") return connection.command;
  const { origin, pathname } = new URL(connection.url);
  return origin + pathname;
}

function missingVariables({ missing = [] }: Connection): MissingNeed | undefined {
  const [first] = missing;
  return first === undefined
    ? undefined
    : { needs: `the variable ${first}`, fix: `Set ${missing.join(", ")}.` };
}

function shownTools(
  { name, tools: selected }: Connection,
  { accepted, listed }: StoredConnection,
): readonly { readonly tool: ServerTool; readonly need?: MissingNeed }[] {
  const before = new Map(accepted.map((tool) => [tool.name, tool]));
  return listed
    .filter((tool) => selected?.includes(tool.name) ?? true)
    .map((tool) => {
      const known = before.get(tool.name);
      if (known?.digest === tool.digest) return { tool };
      return {
        // Models must not read unaccepted texts. Users review them with the command in `fix`.
        tool: known ?? {
          ...tool,
          title: tool.safeName,
          description: "",
          inputSchema: { type: "object" },
        },
        need: {
          needs: `a user who accepts its ${known === undefined ? "definition" : "changed definition"}`,
          fix: `capstan connections accept ${name}`,
        },
      };
    });
}

function serverTool(connection: Connection, tool: ServerTool, server: ServerUse): Tool {
  const { name: group, trustAnnotations = false, timeoutSeconds = 600 } = connection;
  const { readOnly = false, idempotent = false } = trustAnnotations ? tool.annotations : {};
  return {
    definition: {
      type: "function",
      function: {
        name: tool.safeName,
        description: tool.description,
        parameters: tool.inputSchema,
      },
    },
    // A grant does not apply to a tool with another definition, or of another server.
    version: digest([identityOf(connection), tool.digest]),
    effects: readOnly ? "read" : "write",
    idempotent: readOnly || idempotent,
    permission: {
      executionPolicy: readOnly ? "ask-once" : "ask-always",
    },
    timeoutMs: timeoutSeconds * 1_000,
    stopMs: 1_000,
    errors: connectionErrors,
    async execute(args, context) {
      const raw = await callServer(
        connection,
        { method: "tools/call", params: { name: tool.name, arguments: args } },
        {
          context,
          group,
          mayRepeat: readOnly || idempotent,
          use: (signal, work) =>
            server.use(context.principal.id, signal, (client) => {
              if (!server.isCurrent(tool))
                throw changedDefinition(
                  tool,
                  server.afterChange ??
                    `A user can see and accept it: capstan connections accept ${group}.`,
                );
              return work(client);
            }),
        },
      );
      return isToolError(raw) ? raw : callResult(raw, tool.outputSchema);
    },
  };
}

/** The tool that shows a server's questions to a user. Every call needs approval. */
function answerTool(): Tool {
  return defineTool({
    name: questionTool,
    description:
      "Used by the server during its calls, to ask the user a question. Do not call it yourself.",
    parameters: z.object({
      server: z.string(),
      question: z.string(),
      answers: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("The answers, which the user changes before approving."),
      fields: z.record(z.string(), z.unknown()).optional().describe("The form of the answers."),
      open: z.string().optional().describe("An address that the server asks the user to open."),
      problem: z.string().optional().describe("Why the last answers are invalid."),
    }),
    effects: "read",
    permission: { executionPolicy: "ask-always" },
    asksUser: true,
    examples: [
      {
        title: "Asks the user for a name.",
        args: { server: "tickets", question: "Whose ticket is it?", answers: { name: "" } },
      },
    ],
    execute: (args) => args,
  });
}

/** The server may have changed a tool since its last list. Each session reads the list again. */
function changedDefinition({ safeName }: ServerTool, afterChange: string): ConnectionError {
  return new ConnectionError({
    code: "rejected",
    message: `The server changed the definition of ${safeName}, and no user has accepted the change. The call was not sent. ${afterChange}`,
  });
}
