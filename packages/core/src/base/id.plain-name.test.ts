import assert from "node:assert/strict";
import { test } from "node:test";
import { isPlainName } from "./id.ts";

test("accepts exactly the characters that the providers' pattern accepts", () => {
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    assert.equal(isPlainName(character), /^[a-zA-Z0-9_-]$/.test(character), code.toString(16));
  }
});

test("a plain name has from one to the maximum number of characters, all of them plain", () => {
  assert.equal(isPlainName(""), false);
  assert.equal(isPlainName("a".repeat(64)), true);
  assert.equal(isPlainName("a".repeat(65)), false);
  assert.equal(isPlainName("a".repeat(100), 100), true);
  assert.equal(isPlainName("call_0-1é"), false);
  assert.equal(isPlainName("call\n"), false);
});
