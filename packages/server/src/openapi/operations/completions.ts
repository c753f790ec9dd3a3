import { completionRequest } from "../schemas/request-schemas.ts";
import { deleted, json, type Operations, ref } from "../schemas/operation.ts";

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
    "DELETE /v1/chat/completions/:id": {
      summary: "Delete a stored completion",
      answer: deleted("chat.completion.deleted"),
    },
  };
}
