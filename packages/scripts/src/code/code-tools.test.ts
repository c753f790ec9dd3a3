import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  type ContentParts,
  isToolError,
  type ToolContext,
  type ToolErrorData,
  ToolExecutor,
  type ToolGroup,
  VariableSystem,
} from "@capstan/core";
import { unconfined } from "@capstan/sandbox";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { codeTools } from "./code-tools.ts";

const folder = testFolder();
const workspace = join(folder, "workspace");
mkdirSync(join(workspace, "data"), { recursive: true });
writeFileSync(join(workspace, "note.txt"), "a note");
writeFileSync(join(workspace, "data/journal"), "TOP SECRET");

const group = codeTools({
  sandbox: confined,
  roots: [workspace],
  hidden: [join(workspace, "data")],
  find: (name) => [`/usr/bin/${name}`].find(existsSync),
});
const skip = (name: string) =>
  noSandbox || (toolOf(group, name).unavailable === undefined ? false : `no ${name}`);
const needsOf = ({ tools }: ToolGroup) =>
  Object.fromEntries(tools.map((tool) => [tool.definition.function.name, tool.unavailable]));

function withVariables(): ToolContext & { readonly written: () => string } {
  const variables = new VariableSystem();
  variables.updateVariable("Fetch_1", {
    type: "LLMAdd",
    value: { text: '$(touch /tmp/x) "é', data: { n: [1, 2] } },
  });
  variables.updateVariable("a/b.c", { type: "LLMAdd", value: { text: "slashed" } });
  const context = fakeContext({ variables });
  let written = "";
  return {
    ...context,
    output: { ...context.output, write: (text) => void (written += text) },
    written: () => written,
  };
}

async function failure(
  name: string,
  args: { readonly [key: string]: unknown },
): Promise<ToolErrorData> {
  const result = await call(toolOf(group, name), args);
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

test("an approval of code covers the variables that it is given", () => {
  for (const { permission } of group.tools)
    assert.deepEqual(permission?.readsVariables?.({ variables: ["CMD"] }), ["CMD"]);
});

// Contract: sandbox-62
test("every tool of the group asks for each call", () => {
  for (const tool of group.tools)
    assert.equal(tool.permission?.executionPolicy, "ask-always", tool.definition.function.name);
});

// Contract: sandbox-63
test("without a sandbox the tools with access to files name it as their need", () => {
  const sandboxFix = "apt-get install bubblewrap";
  const open = codeTools({ sandbox: unconfined, sandboxFix });
  const need = { needs: "a sandbox", fix: sandboxFix };
  assert.deepEqual(needsOf(open), {
    Shell: need,
    Python: need,
    PowerShell: need,
    JavaScript: undefined,
  });
});

// Contract: sandbox-63
test("a tool without its interpreter names it as its need", () => {
  const sandbox = { ...unconfined, kind: "bubblewrap" } as const;
  const bare = needsOf(codeTools({ sandbox, find: () => undefined }));
  assert.deepEqual(
    Object.entries(bare).map(([name, need]) => [name, need?.needs]),
    [
      ["Shell", "Bash"],
      ["Python", "Python 3"],
      ["PowerShell", "PowerShell 7"],
      ["JavaScript", undefined],
    ],
  );
  const all = needsOf(codeTools({ sandbox, find: () => "/bin/x" }));
  assert.ok(Object.values(all).every((need) => need === undefined));
});

test("the definitions describe the sandbox in few tokens", () => {
  for (const tool of group.tools)
    assert.ok(JSON.stringify(tool.definition).length < 950, tool.definition.function.name);
  const shell = codeTools({
    sandbox: { ...unconfined, kind: "bubblewrap" },
    find: () => "/bin/x",
    network: true,
    roots: ["/a"],
    write: true,
  });
  assert.match(
    toolOf(shell, "Shell").definition.function.description ?? "",
    /the public internet by http\(s\) proxy, the workspace to change/,
  );
});

describe("Shell", { skip: skip("Shell") }, () => {
  const run = (command: string, context?: ToolContext, variables: readonly string[] = []) =>
    callForText(toolOf(group, "Shell"), { command, variables }, context);

  test("returns the output of a command and its exit code", async () => {
    assert.equal(await run("echo out; exit 3"), "out\n[exit code 3]");
    assert.equal(await run("echo err >&2; exit 3"), "err\n[exit code 3]");
    assert.equal(await run("true"), "[No output.]");
    assert.match(
      await run("no_such_command"),
      /line 1: no_such_command: command not found\n\[exit code 127\]/,
    );
  });

  // Contract: sandbox-5
  test("runs in the workspace, which it cannot change, and cannot read the server's data in it", async () => {
    const text = await run(
      "cat note.txt; ls data; echo x > note.txt; echo y > /tmp/y && cat /tmp/y",
    );
    // Output and errors arrive on two pipes, in no defined order.
    assert.match(text, /a note/);
    assert.match(text, /note\.txt: Read-only file system\n/);
    assert.match(text, /(?:note|\n)y\n/);
    assert.doesNotMatch(text, /journal/);
  });

  // Contract: sandbox-64
  test("receives variables as files, whatever they contain", async () => {
    const context = withVariables();
    const text = await run(
      'cat "$VARS/Fetch_1" "$VARS/Fetch_1.json" "$VARS/a%2Fb%2Ec"; ls /tmp/x 2>&-',
      context,
      ["Fetch_1", "a/b.c"],
    );
    assert.equal(text, '$(touch /tmp/x) "é{"n":[1,2]}slashed\n[exit code 2]');
    assert.equal(`${context.written()}\n[exit code 2]`, text);
  });

  test("reports the name of a missing variable", async () => {
    const error = await failure("Shell", { command: "true", variables: ["Fetch_9"] });
    assert.equal(error.code, "variable_not_found");
  });

  // Contract: sandbox-6
  test("reaches no network and no environment variables of the server", async () => {
    process.env["CAPSTAN_TEST_SECRET"] = "TOP SECRET";
    try {
      const text = await run("env; (exec 5<>/dev/tcp/127.0.0.1/22) && echo reached");
      assert.doesNotMatch(text, /TOP SECRET|^reached/m);
    } finally {
      delete process.env["CAPSTAN_TEST_SECRET"];
    }
  });

  // Contract: sandbox-31
  test("keeps the beginning and the end of endless output, in bounded memory", async () => {
    const text = await run("head -c 30000000 /dev/zero | tr '\\0' x; echo END");
    assert.ok(text.length < 400_000);
    assert.match(text, /x\n\[… 29672\d{3} characters omitted …\]\nx+END\n$/);
  });

  test("ends when it is cancelled, and leaves no file", async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const context = fakeContext({ signal: stop.signal });
    const running = run("echo on; sleep 600", {
      ...context,
      output: { ...context.output, write: () => begun.resolve() },
    });
    await begun.promise;
    stop.abort(new Error("cancelled"));
    await assert.rejects(running, /cancelled/);
    assert.deepEqual(
      readdirSync(tmpdir()).filter(
        (name) =>
          name.startsWith(`capstan-run-${process.pid}-`) &&
          existsSync(join(tmpdir(), name, "command.sh")),
      ),
      [],
    );
  });
});

describe("Python", { skip: skip("Python") }, () => {
  const run = (code: string, context?: ToolContext, variables: readonly string[] = []) =>
    callForText(toolOf(group, "Python"), { code, variables }, context);

  test("returns its output and the value of its last expression", async () => {
    assert.equal(await run("print('one')\nx = 2\n{'x': x}"), 'one\n{"x":2}');
    assert.equal(await run("x = 1"), "[No output.]");
    assert.equal(await run("{1}"), "{1}");
  });

  // Contract: sandbox-64
  test("runs in the workspace, with variables by name", async () => {
    const code = "[open('note.txt').read(), vars['Fetch_1']['n'], vars['a/b.c']]";
    assert.equal(
      await run(code, withVariables(), ["Fetch_1", "a/b.c"]),
      '["a note",[1,2],"slashed"]',
    );
  });

  // Contract: sandbox-68
  test("reports an exception with its line and the output before it", async () => {
    const error = await failure("Python", { code: "print('before')\nfoo()", variables: [] });
    assert.match(error.message, /^NameError: name 'foo' is not defined \(code\.py, line 2\)$/);
    const { output, traceback } = error.details as { readonly [name: string]: string };
    assert.equal(output, "before\n");
    assert.match(traceback ?? "", /code\.py", line 2, in <module>\n\s+foo\(\)/);
    assert.doesNotMatch(traceback ?? "", /run_code/);
  });

  test("shows an image by its path", async () => {
    const code = "import pathlib\np = pathlib.Path('/tmp/a.png'); p.write_bytes(b'x')\np";
    const { parts } = (await call(toolOf(group, "Python"), {
      code,
      variables: [],
    })) as ContentParts;
    assert.equal(parts[0]?.type, "image");
  });

  test("keeps nothing from one call to the next", async () => {
    await run("import builtins, pathlib\nbuiltins.left = 1\npathlib.Path('/tmp/left').touch()");
    assert.equal(
      await run("import builtins, os\n[hasattr(builtins, 'left'), os.path.exists('/tmp/left')]"),
      "[false,false]",
    );
  });
});

describe("JavaScript", () => {
  const run = (code: string, context?: ToolContext, variables: readonly string[] = []) =>
    callForText(toolOf(group, "JavaScript"), { code, variables }, context);

  test("returns its log and the awaited value of its last expression", async () => {
    assert.equal(
      await run("console.log('one', {a: 1}); const x = 2; ({ x })"),
      'one {"a":1}\n{"x":2}',
    );
    assert.equal(await run("return await Promise.resolve([1])"), "[1]");
    assert.equal(await run("const x = 1"), "[No output.]");
  });

  test("returns the value of a last expression with await", async () => {
    const cases: readonly (readonly [code: string, expected: string])[] = [
      ["const x = await Promise.resolve(2)\nx * 3", "6"],
      ["await Promise.resolve([1])", "[1]"],
      ["const f = async () => 4\nawait f(\n)", "4"],
      ["const one = 1\n+ await Promise.resolve(1)", "[No output.]"],
      ["await Promise.resolve(1); ({ a: 2 });", '{"a":2}'],
      ["for (const n of [1, 2]) await n", "[No output.]"],
      ["await 1; // the end", "1"],
    ];
    for (const [code, expected] of cases) assert.equal(await run(code), expected, code);
    const error = await failure("JavaScript", { code: "await 1;\nnull.x", variables: [] });
    assert.match(error.message, /\(line 2\)$/);
  });

  test("receives the given variables", async () => {
    assert.equal(
      await run("vars.Fetch_1.n[1] + vars['a/b.c']", withVariables(), ["Fetch_1", "a/b.c"]),
      "2slashed",
    );
  });

  // Contract: sandbox-69
  test("cannot access anything outside by any known escape", async () => {
    const code = `[typeof process, typeof require, typeof fetch, typeof setTimeout,
      (() => { try { return console.log.constructor("return typeof process")(); } catch (e) { return "thrown"; } })(),
      (() => { try { return vars.constructor.constructor("return typeof process")(); } catch (e) { return "thrown"; } })()]`;
    const undefineds = Array.from({ length: 6 }, () => "undefined");
    assert.equal(await run(code), JSON.stringify(undefineds));
  });

  // Contract: sandbox-68
  test("reports an exception with its line", async () => {
    const error = await failure("JavaScript", {
      code: "console.log('before');\nnull.x",
      variables: [],
    });
    assert.equal(error.code, "code_failed");
    assert.match(error.message, /^TypeError: Cannot read properties of null .* \(line 2\)$/);
    assert.deepEqual(error.details, { output: "before\n" });
    assert.match(
      (await failure("JavaScript", { code: "const = 1", variables: [] })).message,
      /^SyntaxError/,
    );
  });

  test("runs out of memory without affecting others", async () => {
    const error = await failure("JavaScript", {
      code: "const a = []; for (;;) a.push(new Array(1e5).fill(0.5));",
      variables: [],
    });
    assert.match(error.code, /code_(ended|failed)/);
  });

  test("ends an endless loop at its deadline", async () => {
    const stop = new AbortController();
    const context = fakeContext({ signal: stop.signal });
    const begun = Promise.withResolvers<void>();
    const running = run("console.log('on'); for (;;) {}", {
      ...context,
      output: { ...context.output, write: () => begun.resolve() },
    });
    await begun.promise;
    stop.abort(new Error("deadline"));
    await assert.rejects(running, /deadline/);
  });
});

for (const [name, args] of [
  ["Shell", { command: "echo before; sleep 100" }],
  ["Python", { code: "print('before', flush=True)\nimport time\ntime.sleep(100)" }],
  ["JavaScript", { code: "console.log('before'); for (;;);" }],
] as const)
  test(
    `${name}: a stopped call reports its output, and leaves no process`,
    { skip: skip(name) },
    async () => {
      const executor = new ToolExecutor({ approvals: { request: () => ({ decision: "allow" }) } });
      executor.registerToolGroup(group);
      executor.toggleGroupEnabled("code", true);
      const result = await executor.execute(name, { ...args, timeout: 2 });
      assert.ok(result.status === "timed_out", JSON.stringify(result));
      assert.deepEqual(result.error.details, { output: "before\n" });
      assert.match(result.finalText, /was stopped after 2 s/);
      assert.doesNotMatch(result.finalText, /may still be running/);
    },
  );
