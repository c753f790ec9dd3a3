import assert from "node:assert/strict";
import { test } from "node:test";
import { enteredCredential, partsOf } from "./credential.ts";

test("a credential is sent in a header, a parameter or a cookie", () => {
  assert.deepEqual(partsOf({ type: "bearer", token: "abc" })?.headers, {
    authorization: "Bearer abc",
  });
  assert.deepEqual(partsOf({ type: "basic", username: "ann", password: "b:c" })?.headers, {
    authorization: "Basic YW5uOmI6Yw==",
  });
  const key = { type: "api_key", name: "X-Key", value: "a b" } as const;
  assert.deepEqual(partsOf({ ...key, in: "header" })?.headers, { "X-Key": "a b" });
  assert.deepEqual(partsOf({ ...key, in: "query" })?.query, { "X-Key": "a b" });
  assert.deepEqual(partsOf({ ...key, in: "cookie" })?.headers, { cookie: "X-Key=a%20b" });
});

test("a credential cannot add a header to the request", () => {
  for (const value of ["a\r\nX-Admin: 1", "a\nb", "a\0"])
    assert.equal(enteredCredential.safeParse({ type: "bearer", token: value }).success, false);
  for (const name of ["X Key", "X:", "", "ä"])
    assert.equal(
      enteredCredential.safeParse({ type: "api_key", in: "header", name, value: "a" }).success,
      false,
    );
});
