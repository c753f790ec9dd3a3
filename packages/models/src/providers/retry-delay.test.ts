import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError, type ModelErrorCode } from "@capstan/core";
import { retryDelay } from "./retry-delay.ts";

function failure(code: ModelErrorCode, retryAfterMs?: number): ModelError {
  return new ModelError({ code, message: "", ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

test("makes up to three attempts, and only for temporary errors", () => {
  const codes: ModelErrorCode[] = [
    "authentication",
    "insufficient_quota",
    "context_length",
    "model_not_found",
    "bad_request",
    "timeout",
  ];
  for (const code of codes)
    assert.equal(
      retryDelay(failure(code), 1, () => 0.5),
      undefined,
      code,
    );
  for (const code of ["rate_limit", "connection", "server"] as const) {
    assert.equal(
      retryDelay(failure(code), 1, () => 0.5),
      250,
    );
    assert.equal(
      retryDelay(failure(code), 2, () => 0.5),
      500,
    );
    assert.equal(
      retryDelay(failure(code), 3, () => 0.5),
      undefined,
    );
  }
});

test("the jitter ranges from zero to the full delay", () => {
  assert.equal(
    retryDelay(failure("server"), 2, () => 0),
    0,
  );
  assert.equal(
    retryDelay(failure("server"), 2, () => 0.9999),
    1_000,
  );
});

test("uses the provider's delay up to 30 s", () => {
  assert.equal(
    retryDelay(failure("rate_limit", 30_000), 1, () => 0),
    30_000,
  );
  assert.equal(
    retryDelay(failure("rate_limit", 30_001), 1, () => 0),
    undefined,
  );
});
