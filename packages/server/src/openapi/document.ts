import { readFileSync } from "node:fs";
import { type RouteRight, routeRights } from "../http/rights.ts";
import type { Operation, Operations, QueryParameter, Schema } from "./schemas/operation.ts";
import { errorName, errorResponses, errorStatuses } from "./schemas/error-statuses.ts";
import { agentOperations } from "./operations/agents.ts";
import { completionOperations } from "./operations/completions.ts";
import { connectionOperations } from "./operations/connections.ts";
import { conversationOperations } from "./operations/conversations.ts";
import { fileOperations } from "./operations/files.ts";
import { vectorStoreOperations } from "./operations/vector-stores.ts";
import { mcpOperations } from "./operations/mcp.ts";
import { permissionOperations } from "./operations/permissions.ts";
import { responseOperations } from "./operations/responses.ts";
import { runOperations } from "./operations/runs.ts";
import { scriptOperations } from "./operations/scripts.ts";
import { serverOperations } from "./operations/server.ts";
import { threadOperations } from "./operations/threads.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: Schema;
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly Schema[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: PathOperation } };
  readonly components: {
    readonly schemas: { readonly [name: string]: Schema };
    readonly responses: { readonly [name: string]: Schema };
    readonly securitySchemes: Schema;
  };
}

/** An operation in the document. */
export interface PathOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Schema;
  readonly security?: readonly Schema[];
}

/** The operations by the name of their section. */
export function operationsByTag(): { readonly [tag: string]: Operations } {
  return {
    Responses: responseOperations(),
    "Chat Completions": completionOperations(),
    Assistants: threadOperations,
    Files: fileOperations,
    "Vector stores": vectorStoreOperations,
    Conversations: conversationOperations,
    Runs: runOperations,
    "Approvals, grants and rules": permissionOperations,
    Agents: agentOperations,
    Scripts: scriptOperations,
    Connections: connectionOperations,
    MCP: mcpOperations,
    Server: serverOperations,
  };
}

/** Returns the published contract of the HTTP API. */
export function openApiDocument({ version }: { readonly version: string }): OpenApiDocument {
  const tagged = operationsByTag();
  const paths: { [path: string]: { [method: string]: PathOperation } } = {};
  for (const [tag, operations] of Object.entries(tagged))
    for (const route of routeRights) {
      const { method, path, needs, toLoosen } = route;
      const operation = operations[`${method} ${path}`];
      if (operation === undefined) continue;
      const name = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}");
      const rights = needs === "none" ? "" : rightsText(needs, toLoosen);
      (paths[name] ??= {})[method.toLowerCase()] = {
        ...pathOperation(operation, { tag, route, path: name, rights }),
        ...(needs === "none" && { security: [] }),
      };
    }
  const responses = errorResponses();
  const schemas = usedSchemas({ paths, responses });
  return {
    openapi: "3.1.1",
    info: {
      title: "Capstan",
      version,
      description:
        "Tools for language models, under the user's control. Clients of OpenAI's APIs need only their base URL changed: the Responses, Chat Completions, Assistants, Files and Embeddings APIs are served.",
      license: { name: "MIT", identifier: "MIT" },
    },
    tags: Object.keys(tagged).map((name) => ({ name })),
    security: [{ key: [] }, {}],
    paths,
    components: {
      schemas,
      responses,
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key. A server without keys needs none.",
        },
      },
    },
  };
}

function rightsText(needs: string, toLoosen: string | undefined): string {
  if (needs === "terminal") return "Only a terminal of the user who runs the server may call it.";
  const more =
    toLoosen === undefined
      ? ""
      : ` A request that allows more than before also needs \`${toLoosen}\`.`;
  return `Needs the right \`${needs}\`.${more}`;
}

interface OperationRoute {
  readonly tag: string;
  readonly route: RouteRight;
  readonly path: string;
  readonly rights: string;
}

function pathOperation(
  operation: Operation,
  { tag, route, path, rights }: OperationRoute,
): PathOperation {
  const { summary, description, query = [], body, form } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const method = route.method.toLowerCase();
  const words = path.replaceAll(/[{}]/g, "").split(/[^A-Za-z0-9]+/);
  const content = {
    ...(body !== undefined && { "application/json": { schema: body } }),
    ...(form !== undefined && { "multipart/form-data": { schema: form } }),
  };
  const more = [description, rights].filter((text) => text !== undefined && text !== "");
  return {
    operationId: [method, ...words.filter((word) => word !== "")].join("_"),
    tags: [tag],
    summary,
    ...(more.length > 0 && { description: more.join(" ") }),
    parameters: [...names.map(pathParameter), ...query.map(queryParameter)],
    ...(Object.keys(content).length > 0 && { requestBody: { required: true, content } }),
    responses: {
      200: { description: "Success", content: answerContent(operation) },
      ...Object.fromEntries(
        errorStatuses(route, operation).map((status) => [
          status,
          { $ref: `#/components/responses/${errorName(status)}` },
        ]),
      ),
      default: {
        description: "An error",
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } },
        },
      },
    },
  };
}

function pathParameter(name: string): Schema {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function queryParameter(parameter: QueryParameter): Schema {
  return { in: "query", ...parameter };
}

function answerContent({ answer }: Operation): Schema {
  switch (answer.type) {
    case "json":
      return { "application/json": { schema: answer.schema } };
    case "events":
      return { "text/event-stream": { schema: answer.schema } };
    case "either":
      return {
        "application/json": { schema: answer.schema },
        "text/event-stream": { schema: answer.event },
      };
    case "bytes":
      return { "*/*": {} };
  }
}

/** Returns the schemas that parts of the document refer to, directly or through others. */
function usedSchemas(parts: object): OpenApiDocument["components"]["schemas"] {
  const all = wireSchemas();
  const used = new Map<string, Schema>();
  const add = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      const schema = all[name];
      if (schema === undefined) throw new Error(`The contract has no type ${name}.`);
      if (used.has(name)) continue;
      used.set(name, schema);
      add(schema);
    }
  };
  add(parts);
  return Object.fromEntries([...used].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schemas of the contract's types, which `npm run openapi` writes. */
function wireSchemas(): { readonly [name: string]: Schema } {
  const file = new URL("../../openapi-schemas.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as { readonly [name: string]: Schema };
}
