import assert from "node:assert/strict";
import { test } from "node:test";
import { errorMessage } from "./errors.ts";

test("errorMessage returns an error's message, else its errors' messages, else its name", () => {
  assert.equal(errorMessage(new Error("no")), "no");
  assert.equal(errorMessage("no"), "no");
  assert.equal(errorMessage(new AggregateError([new Error("a"), new Error("b")])), "a; b");
  assert.equal(errorMessage(new AggregateError([], "none")), "none");
  assert.equal(errorMessage(new RangeError("")), "RangeError");
});

test("errorMessage omits the cause of an error", () => {
  const wrapped = new Error("The query failed.", { cause: new Error("password=hunter2") });
  assert.equal(errorMessage(wrapped), "The query failed.");
});

test("every thrown value has a message", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const evil = new Proxy(
    {},
    {
      get: () => assert.fail("read"),
      getPrototypeOf: () => assert.fail("looked at"),
    },
  );
  const odd = Object.assign(new Error("x"), { message: { code: 5 } });
  for (const thrown of [undefined, null, "", 0, 5n, Symbol("s"), circular, evil, odd, () => 1])
    assert.notEqual(errorMessage(thrown), "");
  assert.equal(errorMessage(odd), '{"code":5}');
  assert.equal(errorMessage({ code: 5 }), '{"code":5}');
});
