import {
  after,
  type Answer,
  deleted,
  limit,
  listSchema,
  type Operations,
  order,
  type Schema,
  text,
} from "../schemas/operation.ts";

const time = { type: ["integer", "null"] };
const metadata = { type: "object", additionalProperties: { type: "string" } };
const objects = { type: "array", items: { type: "object" } };
const nullableObject = { type: ["object", "null"] };

/** Returns the schema of an object of the API, with all members required. */
function wire(object: string, properties: { readonly [name: string]: Schema }): Schema {
  const all = {
    id: { type: "string" },
    object: { const: object },
    created_at: { type: "integer" },
    metadata,
    ...properties,
  };
  return { type: "object", required: Object.keys(all), properties: all };
}

const assistant = wire("assistant", {
  name: { type: ["string", "null"] },
  description: { type: ["string", "null"] },
  model: { type: "string" },
  instructions: { type: ["string", "null"] },
  tools: objects,
  tool_resources: nullableObject,
  temperature: { type: ["number", "null"] },
  top_p: { type: ["number", "null"] },
});
const thread = wire("thread", { tool_resources: nullableObject });
const message = wire("thread.message", {
  thread_id: { type: "string" },
  run_id: { type: ["string", "null"] },
  assistant_id: { type: ["string", "null"] },
  role: { enum: ["user", "assistant"] },
  content: objects,
  attachments: objects,
  status: { enum: ["in_progress", "incomplete", "completed"] },
  completed_at: time,
  incomplete_at: time,
  incomplete_details: nullableObject,
});
const run = wire("thread.run", {
  thread_id: { type: "string" },
  assistant_id: { type: "string" },
  status: {
    enum: [
      "queued",
      "in_progress",
      "requires_action",
      "cancelled",
      "failed",
      "completed",
      "incomplete",
      "expired",
    ],
  },
  required_action: nullableObject,
  last_error: nullableObject,
  incomplete_details: nullableObject,
  started_at: time,
  expires_at: time,
  completed_at: time,
  cancelled_at: time,
  failed_at: time,
  model: { type: "string" },
  instructions: { type: "string" },
  tools: objects,
  usage: nullableObject,
});
const step = wire("thread.run.step", {
  thread_id: { type: "string" },
  run_id: { type: "string" },
  assistant_id: { type: "string" },
  type: { enum: ["message_creation", "tool_calls"] },
  status: { enum: ["in_progress", "cancelled", "failed", "completed", "expired"] },
  step_details: { type: "object" },
  last_error: nullableObject,
  usage: nullableObject,
});
const event: Schema = {
  type: "object",
  description: "An object or its delta; the name of the event says which.",
};

const page = [
  limit(100, 20),
  order("desc"),
  after,
  text("before", "The first entry after the page."),
];
const one = (schema: Schema): Answer => ({ type: "json", schema });
const list = (schema: Schema): Answer => ({ type: "json", schema: listSchema(schema) });
const body = (required: readonly string[], properties: { readonly [name: string]: Schema }) => ({
  type: "object",
  required,
  properties,
});
const changes = body([], { metadata });
const runFields = {
  assistant_id: { type: "string" },
  model: { type: "string" },
  instructions: { type: "string" },
  tools: objects,
  metadata,
  stream: { type: "boolean" },
};
const streamed: Answer = { type: "either", schema: run, event };
const newMessage = body(["role", "content"], {
  role: { enum: ["user", "assistant"] },
  content: { anyOf: [{ type: "string" }, objects] },
  attachments: objects,
  metadata,
});
const newThread = { messages: { type: "array", items: newMessage }, metadata, tool_resources: {} };

/** The Assistants API. */
export const threadOperations: Operations = {
  "GET /v1/assistants": { summary: "List assistants", query: page, answer: list(assistant) },
  "POST /v1/assistants": {
    summary: "Create an assistant",
    body: { type: "object", required: ["model"], properties: assistant["properties"] },
    answer: one(assistant),
  },
  "GET /v1/assistants/:id": { summary: "Read an assistant", answer: one(assistant) },
  "POST /v1/assistants/:id": {
    summary: "Change an assistant",
    body: { type: "object", properties: assistant["properties"] },
    answer: one(assistant),
  },
  "DELETE /v1/assistants/:id": {
    summary: "Delete an assistant",
    answer: deleted("assistant.deleted"),
  },
  "POST /v1/threads": {
    summary: "Create a thread",
    body: body([], newThread),
    answer: one(thread),
  },
  "GET /v1/threads/:id": { summary: "Read a thread", answer: one(thread) },
  "POST /v1/threads/:id": {
    summary: "Change a thread",
    body: body([], { metadata, tool_resources: {} }),
    answer: one(thread),
  },
  "DELETE /v1/threads/:id": { summary: "Delete a thread", answer: deleted("thread.deleted") },
  "POST /v1/threads/:id/fork": {
    summary: "Create a thread with copies of the messages of another one",
    body: body([], {}),
    answer: one(thread),
  },
  "POST /v1/threads/:id/copy_to/:target": {
    summary: "Add copies of the messages of a thread to another one",
    body: body([], {}),
    answer: one(thread),
  },
  "GET /v1/threads/:id/messages": {
    summary: "List the messages of a thread",
    query: [...page, text("run_id", "Only messages that this run has written.")],
    answer: list(message),
  },
  "POST /v1/threads/:id/messages": {
    summary: "Add a message to a thread",
    body: newMessage,
    answer: one(message),
  },
  "GET /v1/threads/:id/messages/:messageId": { summary: "Read a message", answer: one(message) },
  "POST /v1/threads/:id/messages/:messageId": {
    summary: "Change the metadata of a message",
    body: changes,
    answer: one(message),
  },
  "DELETE /v1/threads/:id/messages/:messageId": {
    summary: "Delete a message",
    answer: deleted("thread.message.deleted"),
  },
  "POST /v1/threads/runs": {
    summary: "Create a thread and start a run of it",
    body: body(["assistant_id"], { ...runFields, thread: body([], newThread) }),
    answer: streamed,
  },
  "GET /v1/threads/:id/runs": {
    summary: "List the runs of a thread",
    query: page,
    answer: list(run),
  },
  "POST /v1/threads/:id/runs": {
    summary: "Start a run of a thread",
    body: body(["assistant_id"], {
      ...runFields,
      additional_instructions: { type: "string" },
      additional_messages: { type: "array", items: newMessage },
    }),
    answer: streamed,
  },
  "GET /v1/threads/:id/runs/:runId": { summary: "Read a run of a thread", answer: one(run) },
  "POST /v1/threads/:id/runs/:runId": {
    summary: "Change the metadata of a run",
    body: changes,
    answer: one(run),
  },
  "POST /v1/threads/:id/runs/:runId/cancel": {
    summary: "Stop a run of a thread",
    body: body([], {}),
    answer: one(run),
  },
  "POST /v1/threads/:id/runs/:runId/submit_tool_outputs": {
    summary: "Send the outputs of functions that the client has run",
    body: body(["tool_outputs"], { tool_outputs: objects, stream: { type: "boolean" } }),
    answer: streamed,
  },
  "GET /v1/threads/:id/runs/:runId/steps": {
    summary: "List the steps of a run",
    query: page,
    answer: list(step),
  },
  "GET /v1/threads/:id/runs/:runId/steps/:stepId": {
    summary: "Read a step of a run",
    answer: one(step),
  },
};
