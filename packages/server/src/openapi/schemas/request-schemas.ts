import { z } from "zod";
import { completionSchema } from "../../completions/parse-completion.ts";
import { embeddingSchema } from "../../embeddings/routes.ts";
import { itemSchemas, partSchemas } from "../../responses/request/parse-input.ts";
import { requestSchema } from "../../responses/request/parse-request.ts";
import { isObject } from "../../http/errors.ts";
import type { Schema } from "./operation.ts";

/* The bodies that have parsers of their own, from the schemas of these parsers. */

/** Returns the schema of the body of `POST /v1/responses`. */
export function responseRequest(): Schema {
  const { properties, ...schema } = jsonSchema(requestSchema) as {
    readonly properties: { readonly [name: string]: Schema };
  };
  const input = {
    description: "A text of the user, or items.",
    anyOf: [{ type: "string" }, { type: "array", items: responseInputItem() }, { type: "null" }],
  };
  return {
    ...schema,
    properties: { ...properties, input, tools: nullable(toolsSchema) },
  };
}

/** Returns the schema of the body of `POST /v1/embeddings`. */
export function embeddingRequest(): Schema {
  return jsonSchema(embeddingSchema);
}

/** Returns the schema of an input item. Items of other types are stored and not shown to a model. */
export function responseInputItem(): Schema {
  const content = {
    anyOf: [
      { type: "string" },
      { type: "array", items: { anyOf: Object.entries(partSchemas).map(typed) } },
    ],
  };
  return {
    anyOf: Object.entries(itemSchemas).map(([type, schema]) => {
      const item = typed([type, schema]);
      const member = type === "message" ? "content" : "output";
      const hasContent = type === "message" || type.endsWith("_output");
      if (!hasContent) return item;
      const properties = { ...item.properties, [member]: content };
      // A message needs no type.
      const required = type === "message" ? ["role", member] : [...item.required, member];
      return { ...item, properties, required };
    }),
  };
}

/** Returns the schema of the body of `POST /v1/chat/completions`. */
export function completionRequest(): Schema {
  const { properties, ...schema } = jsonSchema(completionSchema) as {
    readonly properties: { readonly [name: string]: Schema };
  };
  const message = {
    type: "object",
    required: ["role"],
    properties: {
      role: { enum: ["system", "developer", "user", "assistant", "tool", "function"] },
      content: {
        anyOf: [{ type: "string" }, { type: "array", items: { type: "object" } }, { type: "null" }],
      },
      tool_calls: nullable({ type: "array", items: { type: "object" } }),
      tool_call_id: { type: "string", description: "With the role `tool`: the answered call." },
    },
  };
  return {
    ...schema,
    required: ["messages"],
    properties: {
      ...properties,
      messages: { type: "array", minItems: 1, items: message },
      tools: nullable(toolsSchema),
    },
  };
}

const toolsSchema: Schema = {
  type: "array",
  description:
    "Tools of the client (`function`, `custom`), and tool groups of the server (`mcp` with `server_url` capstan://groups/NAME).",
  items: { type: "object", required: ["type"], properties: { type: { type: "string" } } },
};

function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

interface TypedSchema extends Schema {
  readonly properties: { readonly [name: string]: Schema };
  readonly required: readonly string[];
}

/** Returns the schema of an object that its `type` identifies. */
function typed([type, schema]: readonly [string, z.ZodType]): TypedSchema {
  const { properties = {}, required = [], ...rest } = jsonSchema(schema) as Partial<TypedSchema>;
  return {
    ...rest,
    properties: { type: { const: type }, ...properties },
    required: ["type", ...required],
  };
}

function jsonSchema(schema: z.ZodType): Schema {
  const {
    $schema: _draft,
    $defs: _any,
    ...rest
  } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  // The only schema that refers to itself is that of any JSON value. A reference would be resolved
  // in the document, not in this schema.
  return JSON.parse(JSON.stringify(rest), (_key, value: unknown) =>
    isObject(value) && "$ref" in value ? {} : value,
  ) as Schema;
}
