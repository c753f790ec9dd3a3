import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { createServerFolder, startServerProcess } from "./server-process.ts";
import { startUpstream } from "./upstream.ts";

const isConfined = spawnSync("bwrap", ["--version"]).status === 0;
const skip = isConfined ? false : "no bubblewrap (bwrap) on PATH";

// Contract: plugins-91
test("a request with code_interpreter runs the Python tool", { skip }, async () => {
  await using upstream = await startUpstream(({ messages }) => {
    const result = messages.find(({ role }) => role === "tool");
    if (result !== undefined) return { say: [`It is ${String(result.content)}`] };
    return { calls: [{ name: "Python", arguments: '{"code":"6 * 7"}' }] };
  });
  await using folder = await createServerFolder({
    "capstan.config.json": JSON.stringify({
      groups: { code: true },
      rules: [{ tool: "code.*", execution: "auto" }],
    }),
  });
  await using server = await startServerProcess({ folder, environment: upstream.environment });
  const response = await fetch(`${server.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      model: "custom/scripted",
      input: "How much is 6 times 7?",
      tools: [{ type: "code_interpreter", container: { type: "auto" } }],
    }),
  });
  assert.equal(response.status, 200);
  const { output } = (await response.json()) as {
    readonly output: readonly { readonly type: string; readonly code?: string }[];
  };
  assert.deepEqual(
    output.map(({ type }) => type),
    ["code_interpreter_call", "message"],
  );
  assert.equal(output[0]?.code, "6 * 7");
  assert.match(JSON.stringify(output[1]), /It is 42/);
});
