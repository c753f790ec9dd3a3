import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, withNeed } from "@capstan/core";
import { ownHostedTools } from "./own-hosted-tools.ts";

const python = [defineTool({ name: "Python", description: "", execute: () => "" })];
const code = { name: "code", tools: python };

test("a hosted type is bound to a built-in tool whose group is on and that has what it needs", () => {
  const on = { groups: { code: true } };
  assert.deepEqual(ownHostedTools([code], on), { code_interpreter: "code.Python" });
  assert.deepEqual(ownHostedTools([code], { groups: {} }), {});
  assert.deepEqual(ownHostedTools([code], { groups: { code: false } }), {});
  assert.deepEqual(ownHostedTools([], on), {});
  const without = { ...code, tools: withNeed({ needs: "Python 3" }, python) };
  assert.deepEqual(ownHostedTools([without], on), {});
});
