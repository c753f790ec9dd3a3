import {
  after,
  deleted,
  limit,
  type Operations,
  order,
  type Schema,
  text,
} from "../schemas/operation.ts";

const assistant: Schema = {
  type: "object",
  required: ["id", "object", "created_at", "model", "tools"],
  properties: {
    id: { type: "string" },
    object: { const: "assistant" },
    created_at: { type: "integer" },
    name: { type: ["string", "null"] },
    description: { type: ["string", "null"] },
    model: { type: "string" },
    instructions: { type: ["string", "null"] },
    tools: { type: "array", items: { type: "object" } },
    metadata: { type: "object" },
  },
};
const one = { type: "json", schema: assistant } as const;

/** The Assistants API. */
export const threadOperations: Operations = {
  "GET /v1/assistants": {
    summary: "List assistants",
    query: [
      limit(100, 20),
      order("desc"),
      after,
      text("before", "The first entry after the page."),
    ],
    answer: {
      type: "json",
      schema: {
        type: "object",
        required: ["object", "data", "has_more"],
        properties: { object: { const: "list" }, data: { type: "array", items: assistant } },
      },
    },
  },
  "POST /v1/assistants": {
    summary: "Create an assistant",
    body: { type: "object", required: ["model"], properties: assistant["properties"] },
    answer: one,
  },
  "GET /v1/assistants/:id": { summary: "Read an assistant", answer: one },
  "POST /v1/assistants/:id": {
    summary: "Change an assistant",
    body: { type: "object", properties: assistant["properties"] },
    answer: one,
  },
  "DELETE /v1/assistants/:id": {
    summary: "Delete an assistant",
    answer: deleted("assistant.deleted"),
  },
};
