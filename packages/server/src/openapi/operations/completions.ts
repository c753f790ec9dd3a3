import { completionRequest } from "../schemas/request-schemas.ts";
import {
  after,
  deleted,
  json,
  limit,
  listOf,
  listSchema,
  objectOf,
  type Operations,
  order,
  ref,
  text,
} from "../schemas/operation.ts";

const metadata = { type: "object", additionalProperties: { type: "string" } };
const page = [limit(100, 20), order("asc"), after];

/** The Chat Completions API. */
export function completionOperations(): Operations {
  return {
    "POST /v1/chat/completions": {
      summary: "Start a chat completion",
      description:
        "Fields without an effect are accepted; the header `Capstan-Ignored` of the response names them.",
      body: completionRequest(),
      answer: { type: "either", schema: ref("ChatCompletion"), event: ref("ChatCompletionChunk") },
    },
    "GET /v1/chat/completions/:id": {
      summary: "Read a stored completion",
      answer: json("ChatCompletion"),
    },
    "GET /v1/chat/completions": {
      summary: "List the stored completions",
      query: [
        ...page,
        text("model", "Only completions that show this model."),
        {
          name: "metadata",
          description: "Only completions with these metadata, as `metadata[key]=value`.",
          schema: metadata,
          style: "deepObject",
          explode: true,
        },
      ],
      answer: listOf("ChatCompletion", "CorruptView"),
    },
    "POST /v1/chat/completions/:id": {
      summary: "Change the metadata of a stored completion",
      body: objectOf({ metadata: { ...metadata, type: ["object", "null"] } }),
      answer: json("ChatCompletion"),
    },
    "GET /v1/chat/completions/:id/messages": {
      summary: "List the messages that a stored completion answers",
      description: "Calls that the server ran are left out.",
      query: page,
      answer: {
        type: "json",
        schema: listSchema(
          objectOf({
            id: { type: "string" },
            role: { type: "string" },
            content: { type: ["string", "null"] },
          }),
        ),
      },
    },
    "DELETE /v1/chat/completions/:id": {
      summary: "Delete a stored completion",
      answer: deleted("chat.completion.deleted"),
    },
  };
}
