import { responseInputItem, responseRequest } from "../schemas/request-schemas.ts";
import {
  after,
  deleted,
  json,
  limit,
  listSchema,
  number,
  objectOf,
  type Operations,
  order,
  type QueryParameter,
  ref,
  word,
} from "../schemas/operation.ts";

const include: QueryParameter = {
  name: "include",
  description:
    "Data to include, as in the body of a request, for example `file_search_call.results`.",
  schema: { type: "array", items: { type: "string" } },
};

/** The Responses API, and its form of a conversation's items. */
export function responseOperations(): Operations {
  const request = responseRequest();
  const item = {
    type: "object",
    required: ["id", "type"],
    properties: { id: { type: "string" }, type: { type: "string" } },
  };
  const items = { type: "json", schema: listSchema(item) } as const;
  return {
    "POST /v1/responses": {
      summary: "Start a response",
      description:
        "Asks a model, runs the tools of the server that it calls, and returns the answer. With `stream` the answer is a stream of events.",
      body: request,
      answer: { type: "either", schema: ref("ResponseObject"), event: ref("ResponseStreamEvent") },
    },
    "POST /v1/responses/input_tokens": {
      summary: "Count the input tokens of a response",
      description:
        "Accepts the body of `POST /v1/responses`, starts nothing, and estimates the tokens.",
      body: request,
      answer: {
        type: "json",
        schema: objectOf({
          object: { const: "response.input_tokens" },
          input_tokens: { type: "integer" },
        }),
      },
    },
    "POST /v1/responses/compact": {
      summary: "Summarise a history",
      description: "The last item of the output is a summary that only this server can read.",
      asksModel: true,
      body: {
        type: "object",
        required: ["model"],
        properties: {
          model: { type: "string" },
          input: { anyOf: [{ type: "string" }, { type: "array", items: responseInputItem() }] },
          instructions: { type: ["string", "null"] },
          previous_response_id: { type: ["string", "null"] },
        },
      },
      answer: {
        type: "json",
        schema: objectOf({
          id: { type: "string" },
          object: { const: "response.compaction" },
          created_at: { type: "integer" },
          output: { type: "array", items: { type: "object" } },
          usage: { anyOf: [ref("WireUsage"), { type: "null" }] },
        }),
      },
    },
    "GET /v1/responses/:id": {
      summary: "Read a response",
      query: [
        word("stream", "`true` streams the events of the response, past ones first.", [
          "true",
          "false",
        ]),
        number("starting_after", "With `stream`: the number of the last known event.", -1),
        include,
      ],
      answer: { type: "either", schema: ref("ResponseObject"), event: ref("ResponseStreamEvent") },
    },
    "DELETE /v1/responses/:id": {
      summary: "Delete a response",
      answer: deleted("response"),
    },
    "POST /v1/responses/:id/cancel": {
      summary: "Stop a background response",
      answer: json("ResponseObject"),
    },
    "GET /v1/responses/:id/input_items": {
      summary: "List the input items of a response",
      query: [limit(100, 20), order("desc"), after],
      answer: items,
    },
    "GET /v1/conversations/:id/items": {
      summary: "List the items of a conversation",
      query: [limit(100, 20), order("desc"), after, include],
      answer: items,
    },
    "POST /v1/conversations/:id/items": {
      summary: "Add messages to a conversation",
      body: objectOf({ items: { type: "array", maxItems: 20, items: responseInputItem() } }),
      answer: items,
    },
    "GET /v1/conversations/:id/items/:itemId": {
      summary: "Read an item of a conversation",
      query: [include],
      answer: { type: "json", schema: item },
    },
    "DELETE /v1/conversations/:id/items/:itemId": {
      summary: "Not supported, because later responses continue from the item",
      answer: { type: "json", schema: item },
    },
  };
}
