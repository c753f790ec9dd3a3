import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { createServerFolder, startServerProcess } from "./server-process.ts";
import { startUpstream } from "./upstream.ts";

const isConfined = spawnSync("bwrap", ["--version"]).status === 0;
const skip = isConfined ? false : "no bubblewrap (bwrap) on PATH";

const code = `
import os, pathlib
pathlib.Path(os.environ["WORKSPACE"], "answer.txt").write_text("forty-two")
6 * 7`;

// Contract: plugins-91, plugins-99, files-12
test("a request with code_interpreter runs the Python tool", { skip }, async () => {
  await using upstream = await startUpstream(({ messages }) => {
    const result = messages.find(({ role }) => role === "tool");
    if (result !== undefined)
      return { say: [`It is ${JSON.stringify(result.content)}, see answer.txt`] };
    return { calls: [{ name: "Python", arguments: JSON.stringify({ code }) }] };
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
    readonly output: readonly {
      readonly type: string;
      readonly code?: string;
      readonly content?: readonly {
        readonly annotations: readonly { readonly type: string; readonly file_id: string }[];
      }[];
    }[];
  };
  assert.deepEqual(
    output.map(({ type }) => type),
    ["code_interpreter_call", "message"],
  );
  assert.equal(output[0]?.code, code);
  assert.match(JSON.stringify(output[1]), /It is .*42/);
  const [cited] = output[1]?.content?.[0]?.annotations ?? [];
  assert.equal(cited?.type, "container_file_citation");
  const file = await fetch(`${server.url}/v1/files/${cited.file_id}/content`);
  assert.equal(await file.text(), "forty-two");
});
