// The same cases for each interpreter. PowerShell scripts run with a replacement that runs Python.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type ContentParts, isToolError, type ToolFile } from "@capstan/core";
import { isContentParts } from "@capstan/core/host";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { findPowerShell } from "../run/powershell/find-powershell.ts";
import { runFunction, scriptFile, testRunner } from "../testing/run-script.ts";
import { makeWorkspace, workspaceQuota } from "../workspace/workspace.ts";
import { codeTools } from "./code-tools.ts";

const folder = testFolder();
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

type Run = (code: string, files: readonly ToolFile[]) => Promise<unknown>;

const tool =
  (name: string, argument: "code" | "command"): Run =>
  (code, files) =>
    call(toolOf(group, name), { [argument]: code }, { ...fakeContext({}), files });

function pythonScript(): Run {
  const source = `
def use_workspace(code, context=None):
    exec(code, {"workspace": context.workspace})
`;
  const script = scriptFile(join(folder, "uses.py"), source);
  const runner = testRunner();
  return async (code, files) =>
    (await runFunction(runner, script, "use_workspace", { code }, { ...fakeContext({}), files }))
      .value;
}

function powerShellScript(): Run {
  const standIn = join(folder, "pwsh");
  const path = new URL("../run/powershell/testing/stand-in.py", import.meta.url);
  copyFileSync(fileURLToPath(path), standIn);
  chmodSync(standIn, 0o755);
  const script = {
    ...scriptFile(join(folder, "scripts", "uses.ps1"), "function Use-Workspace {}"),
    language: "powershell" as const,
    functions: [
      {
        name: "Use-Workspace",
        description: "",
        parameters: { type: "object" as const },
        raises: [],
        hasFormat: false,
        wantsContext: true,
        line: 1,
      },
    ],
  };
  const runner = testRunner({ powershell: () => findPowerShell({ interpreter: standIn }) });
  return async (code, files) =>
    (await runFunction(runner, script, "Use-Workspace", { code }, { ...fakeContext({}), files }))
      .value;
}

interface Interpreter {
  readonly name: string;
  readonly run: Run;
  /** Reads `a.txt`, changes `.._b.csv`, and makes `c.md` and `p.png`. */
  readonly changes: string;
  /** Makes files of a kind that is not kept. */
  readonly odd: string;
  /** Makes more bytes than the quota, and then does not end. */
  readonly fills: string;
}

const inPython = (folderOf: string): Pick<Interpreter, "changes" | "odd" | "fills"> => ({
  changes: `
${folderOf}
assert (workspace / "a.txt").read_text() == "new", "the newest file of a name"
with open(workspace / ".._b.csv", "a") as file: file.write("more")
(workspace / "out").mkdir()
(workspace / "out/c.md").write_text("made")
(workspace / "p.png").write_text("x")
`,
  odd: `
import os
${folderOf}
assert os.listdir(workspace) == []
(workspace / "link.txt").symlink_to("/etc/passwd")
(workspace / "root").symlink_to("/")
os.mkfifo(workspace / "pipe")
(workspace / "empty").touch()
(workspace / "own").write_text("1")
os.link(workspace / "own", workspace / "hard")
`,
  fills: `
import time
${folderOf}
with open(workspace / "large", "wb") as file: file.truncate(70 * 1024 * 1024)
time.sleep(60)
`,
});

const script = inPython("import pathlib; workspace = pathlib.Path(workspace)");

const interpreters: readonly Interpreter[] = [
  {
    name: "Shell",
    run: tool("Shell", "command"),
    changes:
      'set -e; cd "$WORKSPACE"; [ "$(cat a.txt)" = new ]; mkdir out; echo -n made > out/c.md; echo -n x > p.png; echo -n more >> .._b.csv',
    odd: 'set -e; cd "$WORKSPACE"; [ -z "$(ls)" ]; ln -s /etc/passwd link.txt; ln -s / root; mkfifo pipe; touch empty; echo -n 1 > own; ln own hard',
    fills: 'cd "$WORKSPACE"; truncate -s 70M large; sleep 60',
  },
  {
    name: "Python",
    run: tool("Python", "code"),
    ...inPython('import os, pathlib; workspace = pathlib.Path(os.environ["WORKSPACE"])'),
  },
  {
    name: "JavaScript",
    run: tool("JavaScript", "code"),
    changes: `
      if (files.read("a.txt") !== "new") throw new Error("the newest file of a name");
      files.write(".._b.csv", files.read(".._b.csv") + "more");
      files.write("c.md", "made");
      files.write("p.png", Uint8Array.of(120));
      if (files.readBytes("p.png")[0] !== 120) throw new Error("other bytes");
      undefined`,
    odd: `
      const failed = ["../x", "/etc/passwd", "..", ".", "", "a/b", "a\\\\b", "a\\0"].filter((name) => {
        try { files.write(name, "x"); return false; } catch { return true; }
      });
      if (failed.length !== 8 || files.list().length > 0) throw new Error(failed.join());
      files.write("empty", "")`,
    fills: `files.write("large", "x".repeat(70 * 1024 * 1024)); for (;;);`,
  },
  { name: "a Python script", run: pythonScript(), ...script },
  { name: "a PowerShell script", run: powerShellScript(), ...script },
];

const textsOf = ({ parts }: ContentParts) =>
  parts.flatMap((part) => {
    if (part.type === "text") return [];
    assert.ok(part.type === "file" || part.type === "image");
    assert.ok(part.source.type === "base64");
    const text = Buffer.from(part.source.data, "base64").toString();
    return `${part.type} ${part.name?.replace("out/", "")} ${part.mimeType}: ${text}`;
  });

/** The files of workspaces that this process has not removed. */
const leftFiles = () =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith(`capstan-run-${process.pid}-`))
    .flatMap((name) => readdirSync(join(tmpdir(), name)))
    .filter((name) => ["a.txt", "p.png", "own", "large"].includes(name));

for (const { name, run, changes, odd, fills } of interpreters)
  describe(`the workspace of ${name}`, { skip: noSandbox }, () => {
    // Contract: files-12
    test("has the conversation's files, and new and changed files are parts of the result", async () => {
      const files = [fileOf("a.txt", "old"), fileOf("a.txt", "new"), fileOf("../b.csv", "1,2")];
      const result = await run(changes, files);
      assert.ok(isContentParts(result), JSON.stringify(result));
      assert.deepEqual(textsOf(result).toSorted(), [
        "file .._b.csv text/csv: 1,2more",
        "file c.md text/markdown: made",
        "image p.png image/png: x",
      ]);
      assert.deepEqual(leftFiles(), [], "nothing is left for the next call");
    });

    // Contract: files-13
    test("is empty again, and links, pipes and empty files are not kept", async () => {
      const result = await run(odd, []);
      assert.ok(!isToolError(result) && !isContentParts(result), JSON.stringify(result));
    });

    // Contract: files-13
    test("stops code that exceeds its quota", async () => {
      const result = await run(fills, []);
      assert.ok(isToolError(result), JSON.stringify(result)?.slice(0, 500));
      assert.equal(result.code, "workspace_full");
      assert.deepEqual(leftFiles(), []);
    });
  });

test("code that leaves no new file returns what it did before", { skip: noSandbox }, async () => {
  assert.deepEqual(await tool("Shell", "command")("ls $WORKSPACE", [fileOf("a.txt", "old")]), {
    output: "a.txt\n",
    exitCode: 0,
  });
});

test("a file that Python shows as its value is in the result once, after the output", async () => {
  const code = `
import os, pathlib
path = pathlib.Path(os.environ["WORKSPACE"]) / "a.txt"
print("before")
path.write_text("shown")
path`;
  const result = await tool("Python", "code")(code, []);
  assert.ok(isContentParts(result), JSON.stringify(result));
  assert.deepEqual(
    result.parts.map((part) => (part.type === "text" ? part.text : part.type)),
    ["before\n", "file"],
  );
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
    assert.deepEqual(readdirSync(workspace.path).toSorted(), ["file", "é_.txt"]);
  } finally {
    await workspace.remove();
  }
});
