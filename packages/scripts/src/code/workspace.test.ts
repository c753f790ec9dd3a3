import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { type ContentParts, isToolError, type ToolFile } from "@capstan/core";
import { isContentParts } from "@capstan/core/host";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import { confined, noSandbox } from "@capstan/sandbox/testing";
import { codeTools } from "./code-tools.ts";
import { makeWorkspace, workspaceQuota } from "./workspace.ts";

const group = codeTools({
  sandbox: confined,
  find: (name) => [`/usr/bin/${name}`].find(existsSync),
});

const fileOf = (name: string, text: string): ToolFile => ({
  name,
  mimeType: "text/plain",
  size: text.length,
  read: async () => Buffer.from(text),
  async *stream() {
    yield Buffer.from(text);
  },
});

async function run(command: string, files: readonly ToolFile[] = []) {
  return call(toolOf(group, "Shell"), { command }, { ...fakeContext({}), files });
}

const textsOf = ({ parts }: ContentParts) =>
  parts.map((part) => {
    if (part.type === "text") return part.text;
    assert.ok(part.type === "file" || part.type === "image");
    assert.ok(part.source.type === "base64");
    const text = Buffer.from(part.source.data, "base64").toString();
    return `${part.type} ${part.name} ${part.mimeType}: ${text}`;
  });

describe("the workspace of commands", { skip: noSandbox }, () => {
  // Contract: files-12
  test("commands read the conversation's files there, and new and changed files are kept", async () => {
    const files = [fileOf("a.txt", "old"), fileOf("a.txt", "new"), fileOf("../b.csv", "1,2")];
    const result = await run(
      'cd "$WORKSPACE" && cat a.txt .._b.csv && mkdir -p out && echo -n made > out/c.md && echo -n x > p.png && echo -n more >> .._b.csv',
      files,
    );
    assert.ok(isContentParts(result), JSON.stringify(result));
    const [text, ...made] = textsOf(result);
    assert.equal(text, "new1,2");
    assert.deepEqual(made.toSorted(), [
      "file .._b.csv text/csv: 1,2more",
      "file out/c.md text/markdown: made",
      "image p.png image/png: x",
    ]);
  });

  test("a command that leaves no new file returns what it did before", async () => {
    assert.deepEqual(await run("ls $WORKSPACE", [fileOf("a.txt", "old")]), {
      output: "a.txt\n",
      exitCode: 0,
    });
  });

  // Contract: files-13
  test("links, pipes and empty files are not kept", async () => {
    const result = await run(
      'cd "$WORKSPACE" && ln -s /etc/passwd link.txt && ln -s / root && mkfifo pipe && touch empty && echo -n 1 > own && ln own hard',
    );
    assert.ok(!isToolError(result) && !isContentParts(result), JSON.stringify(result));
  });

  // Contract: files-13
  test("a command that fills the workspace is stopped", async () => {
    const result = await run(
      'cd "$WORKSPACE" && for i in $(seq 1 400); do head -c 1000000 /dev/zero > "f$i"; done; sleep 60',
    );
    assert.ok(isToolError(result), JSON.stringify(result).slice(0, 500));
    assert.equal(result.code, "workspace_full");
  });
});

test("the workspace has the newest files within its quota, with safe names", async () => {
  const large = fileOf("large.bin", "x".repeat(100));
  const files = [
    { ...large, size: workspaceQuota.bytes },
    fileOf("..", "dots"),
    fileOf("é\u202e.txt", "bidi"),
    { ...fileOf("gone", ""), read: async () => Promise.reject(new Error("deleted")) },
  ];
  const workspace = await makeWorkspace({ files, signal: new AbortController().signal });
  try {
    const { parts } = await workspace.changes();
    assert.deepEqual(parts, []);
    const { readdir } = await import("node:fs/promises");
    assert.deepEqual((await readdir(workspace.path)).toSorted(), ["file", "é_.txt"]);
  } finally {
    await workspace.remove();
  }
});
