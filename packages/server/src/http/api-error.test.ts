import assert from "node:assert/strict";
import { test } from "node:test";
import { errorBody, invalidRequest } from "./api-error.ts";

test("an error's body has four texts, none of them empty", () => {
  assert.deepEqual(errorBody(invalidRequest({ message: "No." })), {
    error: {
      message: "No.",
      type: "invalid_request_error",
      param: "request",
      code: "invalid_request",
    },
  });
  const bare = { status: 500, type: "server_error", code: "", param: "", message: "Broken." };
  assert.deepEqual(errorBody(bare).error, {
    message: "Broken.",
    type: "server_error",
    param: "request",
    code: "server_error",
  });
});
