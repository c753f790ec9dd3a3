import { setTimeout as pause } from "node:timers/promises";
import {
  contentParts,
  defineTool,
  type JsonSchema,
  type Tool,
  type ToolArgs,
  type ToolContext,
} from "@capstan/core";
import type { Server, ServerContext } from "../libraries/mcp-server.ts";
import type { McpExtension } from "../mcp/mcp-options.ts";

/*
 * The fixtures of the conformance suite of MCP. Its tools run behind the gate; its resources and
 * prompts, and requests to the client, are additions to the server that only these tests have.
 */

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const progressMs = 400;

/** The context of the newest call: the suite makes one call at a time. */
let current: ServerContext | undefined;

function context(): ServerContext {
  if (current === undefined) throw new Error("There is no call.");
  return current;
}

interface Fixture {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonSchema & { readonly type: "object" };
  readonly execute: (args: ToolArgs, context: ToolContext) => unknown;
}

function fixture({ name, description = name, parameters, execute }: Fixture): Tool {
  return defineTool({
    name,
    description,
    parameters: parameters ?? { type: "object", properties: {} },
    permission: { executionPolicy: "auto" },
    effects: "read",
    execute,
  });
}

async function elicit(message: string, requestedSchema: object): Promise<string> {
  const { action, content } = await context().mcpReq.elicitInput({
    mode: "form",
    message,
    requestedSchema: requestedSchema as never,
  });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}

const text = { type: "string" } as const;
const titled = (values: readonly (readonly [string, string])[]) =>
  values.map(([value, title]) => ({ const: value, title }));

/** The tools of the suite. */
export const conformanceTools: readonly Tool[] = [
  fixture({
    name: "test_simple_text",
    execute: () => "This is a simple text response for testing.",
  }),
  fixture({
    name: "test_image_content",
    execute: () =>
      contentParts([
        { type: "image", mimeType: "image/png", source: { type: "base64", data: png } },
      ]),
  }),
  ...["test_audio_content", "test_embedded_resource", "test_multiple_content_types"].map((name) =>
    fixture({ name, execute: () => "" }),
  ),
  fixture({
    name: "test_tool_with_logging",
    async execute() {
      for (const data of [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
      ]) {
        await context().mcpReq.log("info", data);
        await pause(50);
      }
      return "Logged.";
    },
  }),
  fixture({
    name: "test_tool_with_progress",
    async execute(_args, { output }) {
      for (const done of [0, 50, 100]) {
        output.progress({ done, total: 100 });
        // The gate merges progress that is reported faster.
        await pause(progressMs);
      }
      return "Done.";
    },
  }),
  fixture({
    name: "test_error_handling",
    execute() {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  fixture({
    name: "test_sampling",
    parameters: { type: "object", properties: { prompt: text }, required: ["prompt"] },
    async execute({ prompt }) {
      const { content } = await context().mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: String(prompt) } }],
        maxTokens: 100,
      });
      return `LLM response: ${JSON.stringify(content)}`;
    },
  }),
  fixture({
    name: "test_elicitation",
    parameters: { type: "object", properties: { message: text }, required: ["message"] },
    execute: async ({ message }) =>
      `User response: ${await elicit(String(message), {
        type: "object",
        properties: {
          username: { ...text, description: "User's response" },
          email: { ...text, description: "User's email address" },
        },
        required: ["username", "email"],
      })}`,
  }),
  fixture({
    name: "test_elicitation_sep1034_defaults",
    execute: async () =>
      `Elicitation completed: ${await elicit("Defaults", {
        type: "object",
        properties: {
          name: { ...text, default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { ...text, enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      })}`,
  }),
  fixture({
    name: "test_elicitation_sep1330_enums",
    execute: async () =>
      `Elicitation completed: ${await elicit("Enums", {
        type: "object",
        properties: {
          untitledSingle: { ...text, enum: ["option1", "option2", "option3"] },
          titledSingle: {
            ...text,
            oneOf: titled([
              ["value1", "First Option"],
              ["value2", "Second Option"],
              ["value3", "Third Option"],
            ]),
          },
          legacyEnum: {
            ...text,
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: {
            type: "array",
            items: { ...text, enum: ["option1", "option2", "option3"] },
          },
          titledMulti: {
            type: "array",
            items: {
              anyOf: titled([
                ["value1", "First Choice"],
                ["value2", "Second Choice"],
                ["value3", "Third Choice"],
              ]),
            },
          },
        },
      })}`,
  }),
  fixture({
    name: "json_schema_2020_12_tool",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: text, city: text },
        },
      },
      properties: { name: text, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    execute: () => "ok",
  }),
];

/** The contents of results that Capstan's tools cannot have. */
const contents: { readonly [tool: string]: readonly object[] } = {
  test_audio_content: [{ type: "audio", data: wav, mimeType: "audio/wav" }],
  test_embedded_resource: [
    {
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    },
  ],
  test_multiple_content_types: [
    { type: "text", text: "Multiple content types test:" },
    { type: "image", data: png, mimeType: "image/png" },
    {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: '{"test":"data","value":123}',
      },
    },
  ],
};

const say = (given: object) => ({ role: "user", content: given });
const argument = (name: string) => ({ name, description: name, required: true });

const prompts = [
  { name: "test_simple_prompt", description: "Simple" },
  {
    name: "test_prompt_with_arguments",
    description: "With arguments",
    arguments: [argument("arg1"), argument("arg2")],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "With a resource",
    arguments: [argument("resourceUri")],
  },
  { name: "test_prompt_with_image", description: "With an image" },
];

function messagesOf(name: string, args: { readonly [name: string]: string }): readonly object[] {
  switch (name) {
    case "test_simple_prompt":
      return [say({ type: "text", text: "This is a simple prompt for testing." })];
    case "test_prompt_with_arguments": {
      const shown = `Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`;
      return [say({ type: "text", text: shown })];
    }
    case "test_prompt_with_embedded_resource":
      return [
        say({
          type: "resource",
          resource: {
            uri: args["resourceUri"],
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        }),
        say({ type: "text", text: "Please process the embedded resource above." }),
      ];
    default:
      return [
        say({ type: "image", data: png, mimeType: "image/png" }),
        say({ type: "text", text: "Please analyze the image above." }),
      ];
  }
}

/** Returns the contents of a resource of the suite, or `undefined`. */
function resourceOf(uri: string): object | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: "application/json", text: JSON.stringify(data) };
  }
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: png };
  if (uri === "test://static-text" || uri === "test://watched-resource")
    return {
      uri,
      mimeType: "text/plain",
      text: "This is the content of the static text resource.",
    };
  return undefined;
}

/** The additions of the suite to the servers. */
export const conformanceExtension: McpExtension = {
  capabilities: {
    logging: {},
    completions: {},
    resources: { subscribe: true, listChanged: true },
  },
  onCall(given) {
    current = given as ServerContext;
  },
  result: (name, result) => (contents[name] ? { ...result, content: contents[name] } : result),
  onServer(given) {
    const server = given as Server;
    server.setRequestHandler("completion/complete", () => ({
      completion: { values: [], total: 0, hasMore: false },
    }));
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
    server.setRequestHandler("resources/list", () => ({
      resources: ["static-text", "static-binary", "watched-resource"].map((name) => ({
        uri: `test://${name}`,
        name,
        description: name,
        mimeType: "text/plain",
      })),
    }));
    server.setRequestHandler("resources/templates/list", () => ({
      resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
    }));
    const own = readOwn(server);
    server.setRequestHandler("resources/read", async (request, context_) => {
      const found = resourceOf(request.params.uri);
      return found === undefined ? own(request, context_) : ({ contents: [found] } as never);
    });
    server.setRequestHandler("prompts/list", () => ({ prompts }));
    server.setRequestHandler(
      "prompts/get",
      ({ params: { name, arguments: args = {} } }) =>
        ({ messages: messagesOf(name, args) }) as never,
    );
  },
};

/** Returns the server's own handler, which answers for resources that are not the suite's. */
function readOwn(server: Server): (request: object, context: ServerContext) => Promise<never> {
  const handlers = (server as unknown as { _requestHandlers: Map<string, unknown> })
    ._requestHandlers;
  return handlers.get("resources/read") as (
    request: object,
    context: ServerContext,
  ) => Promise<never>;
}
