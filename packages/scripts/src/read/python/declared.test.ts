import assert from "node:assert/strict";
import { test } from "node:test";
import { functionOf, pythonReader, skip } from "../../testing/python-reader.ts";

const read = pythonReader();

// Contract: scripts-28, scripts-30
test("attributes of a function declare its permissions and its format", { skip }, async () => {
  const parsed = await read(`def f(): "Does."
f.executionPolicy = "ask-always"
f.resultApprovalPolicy = "never"
f.format = lambda result, args: str(result)
f.cache = {}
def g(): "Does."
`);
  assert.deepEqual(parsed.declared?.functions, {
    f: { executionPolicy: "ask-always", resultApprovalPolicy: "never" },
  });
  assert.equal(functionOf(parsed, "f").hasFormat, true);
  assert.equal(functionOf(parsed, "g").hasFormat, false);
});

// Contract: scripts-29
test(
  "older names of permissions have no effect, and a warning names the current ones",
  { skip },
  async () => {
    const parsed = await read(
      'def f(): "Does."\nf.permissionLevel = "auto"\nf.requireResultApproval = False\n',
    );
    assert.deepEqual(parsed.declared?.functions, {});
    assert.deepEqual(
      parsed.problems.map(({ severity, line, message }) => [severity, line, message]),
      [
        ["warning", 2, "f.permissionLevel has no effect: write f.executionPolicy."],
        ["warning", 3, "f.requireResultApproval has no effect: write f.resultApprovalPolicy."],
      ],
    );
  },
);

// Contract: scripts-28
test(
  "the decorator tool of capstan declares the same, under any imported name",
  { skip },
  async () => {
    for (const [line, decorator] of [
      ["from capstan import tool", "tool"],
      ["from capstan import tool as t", "t"],
      ["import capstan", "capstan.tool"],
    ]) {
      const parsed = await read(
        `${line}\n@${decorator}(executionPolicy="auto", timeoutMs=5 * 1000, format=str)\ndef f(): "Does."\n`,
      );
      assert.deepEqual(parsed.declared?.functions, {
        f: { executionPolicy: "auto", timeoutMs: 5000 },
      });
      assert.equal(functionOf(parsed).hasFormat, true);
    }
    const other = await read(
      'from mcp import tool\n@tool(executionPolicy="auto")\ndef f(): "Does."\n',
    );
    assert.deepEqual(other.declared?.functions, {});
  },
);

// Contract: scripts-31
test("TOOL_CONFIG declares permissions and the title of the whole file", { skip }, async () => {
  const parsed = await read(
    'NET = True\nTOOL_CONFIG = {"title": "Weather", "network": NET, "secrets": ["KEY"]}\ndef f(): "Does."\n',
  );
  assert.equal(parsed.title, "Weather");
  assert.deepEqual(parsed.declared?.file, { network: true, secrets: ["KEY"] });
});

// Contract: scripts-32
test("a value that is not a literal is an error and declares nothing", { skip }, async () => {
  const parsed = await read(
    'import os\ndef f(): "Does."\nf.executionPolicy = os.environ["P"]\nTOOL_CONFIG = make()\n',
  );
  assert.deepEqual(parsed.declared, { file: {}, functions: {} });
  assert.deepEqual(
    parsed.problems.map(({ severity, line }) => [severity, line]),
    [
      ["error", 4],
      ["error", 3],
    ],
  );
});
