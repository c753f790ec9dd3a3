import assert from "node:assert/strict";
import { test } from "node:test";
import { failureFacts } from "./failure-facts.ts";
import { modelErrorCode } from "./model-error-code.ts";

/** Returns the error that the providers' packages throw for a failed response. */
function response(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) {
  return {
    statusCode,
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
    responseHeaders,
    message: "failed",
  };
}

const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const google = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, status, message, details },
});

const table: readonly (readonly [code: string, thrown: unknown])[] = [
  ["authentication", response(401, anthropic("authentication_error", "invalid x-api-key"))],
  ["authentication", response(403, { error: { message: "Project does not have access" } })],
  [
    "authentication",
    response(
      400,
      google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
        { reason: "API_KEY_INVALID" },
      ]),
    ),
  ],
  ["authentication", new TypeError('Headers.append: "Bearer x" is an invalid header value.')],
  [
    "rate_limit",
    response(429, {
      error: {
        message: "Rate limit reached for gpt-5.5 on tokens per min",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    }),
  ],
  [
    "rate_limit",
    response(
      429,
      anthropic(
        "rate_limit_error",
        "This request would exceed your rate limit of 40,000 input tokens per minute; see the context window",
      ),
    ),
  ],
  [
    "rate_limit",
    response(
      429,
      google(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        [{ retryDelay: "34s" }],
      ),
    ),
  ],
  [
    "insufficient_quota",
    response(429, {
      error: {
        message: "You exceeded your current quota",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    }),
  ],
  ["insufficient_quota", response(402, { error: { message: "Insufficient credits" } })],
  [
    "insufficient_quota",
    response(
      400,
      anthropic(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API.",
      ),
    ),
  ],
  [
    "context_length",
    response(400, { error: { message: "too long", code: "context_length_exceeded" } }),
  ],
  [
    "context_length",
    response(
      400,
      anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    ),
  ],
  [
    "context_length",
    response(
      400,
      anthropic(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
      ),
    ),
  ],
  [
    "context_length",
    response(413, anthropic("request_too_large", "Request exceeds the maximum size")),
  ],
  [
    "context_length",
    response(
      400,
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
    ),
  ],
  ["context_length", response(400, { error: "the input length exceeds the context length" })],
  [
    "context_length",
    response(400, {
      error: {
        message:
          "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
      },
    }),
  ],
  ["model_not_found", response(404, anthropic("not_found_error", "model: claude-9"))],
  [
    "model_not_found",
    response(400, {
      error: { message: "The model `gpt-9` does not exist", code: "model_not_found" },
    }),
  ],
  ["bad_request", response(400, { detail: [{ msg: "field required" }] })],
  ["bad_request", response(422, { error: { message: "Invalid schema for function" } })],
  ["server", response(529, anthropic("overloaded_error", "Overloaded"))],
  ["server", response(500, "<html>")],
  ["server", { type: "overloaded_error", message: "Overloaded" }],
  [
    "connection",
    Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error("x"), { code: "ENOTFOUND" }),
    }),
  ],
  ["connection", new TypeError("terminated")],
  ["server", "something odd"],
  ["server", undefined],
];

test("recognises the errors of all vendors", () => {
  for (const [code, thrown] of table) {
    const facts = failureFacts(thrown, 0);
    assert.equal(
      modelErrorCode(facts),
      code,
      `${facts.status} ${facts.codes.join(",")} ${facts.message}`,
    );
  }
});

test("reads the delay from seconds, milliseconds, dates and Google's body", () => {
  const now = Date.UTC(2026, 0, 1);
  const wait = (headers: Record<string, string>, body: unknown = {}) =>
    failureFacts(response(429, body, headers), now).retryAfterMs;
  assert.equal(wait({ "retry-after": "2.5" }), 2_500);
  assert.equal(wait({ "retry-after-ms": "40", "retry-after": "9" }), 40);
  assert.equal(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" }), 10_000);
  assert.equal(wait({ "retry-after": "Wed, 31 Dec 2025 00:00:10 GMT" }), 0);
  assert.equal(
    wait({}, google(429, "RESOURCE_EXHAUSTED", "", [{ "@type": "RetryInfo", retryDelay: "34s" }])),
    34_000,
  );
  assert.equal(wait({ "retry-after": "soon" }), undefined);
});

test("an error whose causes form a cycle is handled", () => {
  const error = new Error("loop");
  error.cause = error;
  assert.equal(failureFacts(error, 0).message, "loop");
});
