import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainError } from "../run/run-event.ts";
import { failureAdvice } from "./failure-advice.ts";

const error = (code: string): ChainError => ({
  code,
  message: "as the server said",
  phase: "model",
});

test("each model failure has its own title and advice", () => {
  const codes =
    "authentication rate_limit insufficient_quota context_length model_not_found bad_request connection timeout server interrupted";
  const titles = codes.split(" ").map((code) => failureAdvice("error", error(code))?.title);
  assert.equal(new Set(titles).size, 10);
  assert.ok(!titles.includes(failureAdvice("error", error("internal"))?.title));
});

test("a running or completed run has no advice", () => {
  assert.equal(failureAdvice("running", null), undefined);
  assert.equal(failureAdvice("completed", null), undefined);
});

test("a stopped run can be continued, and names of `Object.prototype` are not failure codes", () => {
  assert.equal(failureAdvice("aborted", error("aborted"))?.retry, "Continue");
  assert.equal(failureAdvice("error", error("constructor"))?.title, "This turn failed");
});
