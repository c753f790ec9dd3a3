import assert from "node:assert/strict";
import { test } from "node:test";
import { NetworkError } from "./network-error.ts";
import { returnNetworkErrors } from "./return-network-errors.ts";
import { rootCause } from "./root-cause.ts";

test("the root of an error is its nearest network error, or else its innermost cause", () => {
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const denied = new NetworkError({ code: "denied_host", message: "denied" });
  denied.cause = refused;
  assert.equal(rootCause(new TypeError("failed", { cause: refused })), refused);
  assert.equal(rootCause(new TypeError("failed", { cause: denied })), denied);
  const attempts = new AggregateError([refused, new Error("other")]);
  assert.equal(rootCause(new TypeError("failed", { cause: attempts })), refused);
  assert.equal(rootCause("text"), "text");
});

test("the root of a circular error is found", () => {
  const error = new Error("a");
  error.cause = error;
  assert.equal(rootCause(error), error);
});

test("network errors are returned, and other errors are thrown", async () => {
  const error = { code: "unreachable", message: "no" };
  const returned = await returnNetworkErrors(() => Promise.reject(new NetworkError(error)));
  assert.deepEqual({ ...(returned as object) }, { ...(returned as object), ...error });
  await assert.rejects(
    returnNetworkErrors(() => Promise.reject(new Error("bug"))),
    /bug/,
  );
  assert.equal(await returnNetworkErrors(() => Promise.resolve(1)), 1);
});
