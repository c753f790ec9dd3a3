import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  type ContentParts,
  isToolError,
  type JsonObject,
  type Progress,
  type ToolContext,
  type ToolErrorData,
  ToolExecutor,
  VariableSystem,
} from "@capstan/core";
import { fakeContext } from "@capstan/core/testing";
import { noSandbox, testFolder } from "@capstan/sandbox/testing";
import { runFunction, scriptFile, testRunner } from "../testing/run-script.ts";
import { scriptGroup } from "../library/script-group.ts";
import { unconfined } from "@capstan/sandbox";

const noPython = existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3";
const folder = testFolder();
const runner = testRunner();
const source = readFileSync(new URL("../testing/scripts/calls.py", import.meta.url), "utf8");
const calls = scriptFile(join(folder, "calls/calls.py"), source);

/** Calls a function of `calls.py`. */
async function value(name: string, args: JsonObject = {}, context?: ToolContext): Promise<unknown> {
  return (await runFunction(runner, calls, name, args, context)).value;
}

async function failure(name: string, args: JsonObject = {}): Promise<ToolErrorData> {
  return errorOf(await value(name, args));
}

function errorOf(error: unknown): ToolErrorData {
  assert.ok(isToolError(error), JSON.stringify(error)?.slice(0, 300));
  return error;
}

let count = 0;

/** Calls the function `f` of a separate script. */
async function valueOf(
  source: string,
  others: { readonly [name: string]: string } = {},
): Promise<unknown> {
  const script = scriptFile(join(folder, `s${++count}/script.py`), source, others);
  return (await runFunction(runner, script, "f")).value;
}

/** A context that records the output. */
function listening(signal?: AbortSignal): ToolContext & {
  readonly printed: () => string;
  readonly progress: readonly Progress[];
} {
  const context = fakeContext(signal === undefined ? {} : { signal });
  let printed = "";
  return {
    ...context,
    output: { ...context.output, write: (text) => void (printed += text) },
    printed: () => printed,
  };
}

describe("a call of a Python function", { skip: noPython }, () => {
  // Contract: sandbox-32
  test("takes arguments of any length and returns its result", async () => {
    const text = "é€🎉".repeat(300_000);
    assert.equal(await value("measure", { text }), "🎉€é900000");
  });

  // Contract: sandbox-33
  test("returns its result, whatever it prints in any way", async () => {
    const context = listening();
    assert.deepEqual(await value("print_all_ways", {}, context), { ok: true });
    assert.equal(
      context.printed(),
      'from print ü\nfrom stderr\nfrom a program\n{"type": "result"}\n',
    );
  });

  test("ends with an error if it sends the host an invalid message", async () => {
    for (const message of [
      "null",
      "5",
      '"result"',
      "[]",
      '{"type":"parts","parts":5}',
      '{"type":"parts","parts":[null]}',
      '{"type":"error"}',
      '{"type":"error","error":{"type":"E","message":5,"traceback":""}}',
      '{"type":"progress","message":{},"done":"many"}',
      '{"type":"ask","id":"x","what":"variables"}',
      '{"type":"ask","id":1,"what":"call_tool","name":5,"arguments":[]}',
      '{"type":"no such"}',
    ]) {
      const error = errorOf(
        await valueOf(`import os
def f():
    """Sends a message of its own."""
    message = ${JSON.stringify(message)}.encode()
    os.write(3, len(message).to_bytes(4, "big") + message)
    return "done"
`),
      );
      assert.equal(error.code, "script_crashed", message);
      assert.match(JSON.stringify(error.details), /invalid message to its call/, message);
    }
  });

  test("ends with an error if its script sends the worker's messages while it is imported", async () => {
    for (const message of ["null", '{"type":"failed"}', '{"type":"ended","clean":"yes"}']) {
      const result = await valueOf(`import os
message = ${JSON.stringify(message)}.encode()
os.write(4, len(message).to_bytes(4, "big") + message)
def f():
    """Returns a word."""
    return "done"
`);
      assert.equal(errorOf(result).code, "script_crashed", message);
    }
  });

  // Contract: sandbox-33
  test("streams its output while it runs", async () => {
    const stop = new AbortController();
    const context = listening(stop.signal);
    const first = Promise.withResolvers<string>();
    const output = { ...context.output, write: first.resolve };
    const call = value("print_and_wait", {}, { ...context, output });
    assert.equal(await first.promise, "first\n");
    stop.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
  });

  // Contract: sandbox-31
  test("with endless output is truncated and counted, and the event loop is not blocked", async () => {
    const context = listening();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    assert.equal(await value("print_megabytes", { count: 128 }, context), "done");
    clearInterval(timer);
    assert.ok(context.printed().length < 300_000);
    assert.match(context.printed(), /\[133955584 more bytes of output were omitted\.\]/);
    assert.ok(ticks > 10, `the event loop turned ${ticks} times`);
  });

  // Contract: sandbox-34
  test("returns values that JSON does not have without losing them", async () => {
    assert.deepEqual(await value("return_odd_values"), {
      nan: "NaN",
      inf: ["Infinity", "-Infinity"],
      big: "9007199254740993",
      small: 9007199254740991,
      bytes: { base64: "AP8=" },
      date: "2026-02-28",
      time: "2026-02-28T12:30:00",
      decimal: "1.10",
      enum: "red",
      point: { x: 2.5, tags: [] },
      set: [7],
      tuple: [1, null],
      3: true,
      named: { a: 1 },
      text: "é🎉\ud800",
      uuid: "00000000-0000-0000-0000-000000000001",
      gen: [0, 1],
    });
  });

  // Contract: sandbox-35
  test("gets arguments in their annotated types", async () => {
    const result = await value("show_arguments", {
      color: "red",
      point: { x: 1, tags: ["a"] },
      day: "2026-02-28",
      pair: [1, "b"],
      points: [{ x: 2 }],
      by: { 4: "red" },
      either: "red",
      blob: "AP8=",
      path: "a/b",
      plain: { k: [1] },
    });
    assert.deepEqual(result, [
      "<Color.RED: 'red'>",
      "Point(x=1.0, tags={'a'})",
      "datetime.date(2026, 2, 28)",
      "(1, 'b')",
      "[Point(x=2.0, tags=set())]",
      "{4: <Color.RED: 'red'>}",
      "<Color.RED: 'red'>",
      String.raw`b'\x00\xff'`,
      "PosixPath('a/b')",
      "{'k': [1]}",
    ]);
  });

  test("gets positional-only arguments by position, and defaults for missing ones", async () => {
    assert.deepEqual(await value("take_by_place", { a: 1, d: 4 }), [1, "b", "c", 4]);
    assert.deepEqual(await value("take_by_place", { a: 1, c: 3, d: 4 }), [1, "b", 3, 4]);
    assert.deepEqual(await value("take_by_place_wrapped", { day: "2026-02-28", n: 2 }), [
      "datetime.date(2026, 2, 28)",
      2,
    ]);
  });

  // Contract: sandbox-36
  test("can be async, and can yield", async () => {
    assert.equal(await value("wait_and_return"), "awaited");
    assert.deepEqual(await value("yield_three"), [0, 1, 2]);
  });

  // Contract: sandbox-37
  test("returns fifty megabytes whole, and fails above the limit", async () => {
    const large = await value("return_megabytes", { count: 50 });
    assert.equal((large as string).length, 50 * 1024 * 1024);
    const { code, message } = await failure("return_megabytes", { count: 70 });
    assert.equal(code, "result_too_large");
    assert.match(message, /70 MB/);
  });

  // Contract: sandbox-38
  test("returns images and files by their path", async () => {
    const result = (await value("return_files")) as ContentParts;
    assert.deepEqual(result.parts, [
      { type: "text", text: "Both:" },
      {
        type: "image",
        name: "capstan-picture.png",
        mimeType: "image/png",
        source: { type: "base64", data: "iVBORw==" },
      },
      {
        type: "file",
        name: "capstan-table.csv",
        mimeType: "text/csv",
        source: { type: "base64", data: "YSxi" },
      },
    ]);
  });

  // Contract: sandbox-39
  test("that raises reports its type, message and line, and to the user the whole traceback", async () => {
    const { code, message, details } = await failure("fail");
    assert.equal(code, "script_failed");
    assert.match(message, /^ValueError: no 3 ü \(calls\.py, line \d+\)$/);
    const { traceback } = details as { readonly traceback: string };
    assert.match(traceback, /calls\.py", line \d+, in fail\n\s+inner\(3\)/);
    assert.doesNotMatch(traceback, /run_call|worker\.py/);
  });

  // Contract: sandbox-39
  test("can describe its own failure", async () => {
    const { code, message, retryable, details } = await failure("fail_in_words");
    const words = "No city X. Name a larger one.";
    assert.deepEqual([code, message, retryable], ["no_city", words, true]);
    assert.equal(details, undefined);
  });

  // Contract: sandbox-40
  test("of a script that does not load reports the failing line", async () => {
    const syntax = errorOf(await valueOf("def f():\n    return (1\n"));
    assert.equal(syntax.code, "script_not_loaded");
    assert.match(
      syntax.message,
      /^The script does not load\. SyntaxError: .* \(script\.py, line 2\)$/,
    );
    const missing = errorOf(await valueOf("import no_such_module\ndef f(): pass"));
    assert.match(missing.message, /ModuleNotFoundError: No module named 'no_such_module'/);
    const exits = errorOf(await valueOf("import sys\ndef f(): pass\nsys.exit(3)"));
    assert.match(exits.message, /SystemExit: 3/);
  });

  // Contract: sandbox-41
  test("whose process dies is an error with the reason", async () => {
    const killed = await failure("die", { how: "signal" });
    assert.equal(killed.code, "script_crashed");
    assert.match(killed.message, /by SIGSEGV/);
    assert.match((await failure("die", { how: "code" })).message, /with code 5/);
    assert.match((await failure("die", { how: "silent" })).message, /before the function returned/);
    assert.match((await failure("die", { how: "exit" })).message, /SystemExit: bye/);
  });

  test("that cannot return its result reports it", async () => {
    assert.match((await failure("return_object")).message, /A object cannot be returned/);
    assert.match((await failure("return_circle")).message, /contains itself/);
  });

  // Contract: sandbox-42
  test("imports private modules and reads data next to it, whatever Capstan's modules are called", async () => {
    const result = await valueOf(
      "import pathlib\nimport errors\nfrom _words import word\ndef f(): return word() + errors.x + pathlib.Path(__file__).with_name('_data.txt').read_text()",
      { "_words.py": "def word(): return 'hello'", "errors.py": "x = ' '", "_data.txt": "data" },
    );
    assert.equal(result, "hello data");
  });

  // Contract: sandbox-43
  test("formats its result, and a failing format is reported without other effects", async () => {
    const formatted = await runFunction(runner, calls, "double", { n: 2 });
    assert.deepEqual(formatted, { value: 4, formattedText: "twice 2 is 4" });
    const byPlace = await runFunction(runner, calls, "take_by_place", { a: 1 });
    assert.equal(byPlace.formattedText, "{'a': 1}");
    const context = listening();
    assert.deepEqual(await runFunction(runner, calls, "one", {}, context), { value: 1 });
    assert.match(context.printed(), /format failed:[\s\S]*ZeroDivisionError/);
  });

  // Contract: sandbox-44
  test("with a context reads variables, reports progress and calls other tools", async () => {
    const variables = new VariableSystem();
    variables.updateVariable("Fetch_1", { value: { text: "{…}", data: { n: 2 } }, type: "LLMAdd" });
    const refusal = { code: "rejected", message: "Not allowed." };
    const context = {
      ...fakeContext({ variables }),
      callTool: (name: string, data: unknown) =>
        Promise.resolve(
          name === "Add"
            ? { status: "success", data }
            : { status: "execution_rejected", error: refusal },
        ) as never,
    };
    assert.deepEqual(await value("use_context", {}, context), [
      { n: 2 },
      ["Fetch_1"],
      0,
      true,
      { a: 1 },
      "rejected: Not allowed.",
      context.idempotencyKey,
    ]);
    assert.deepEqual(context.progress, [{ message: "half", done: 1, total: 2 }]);
  });

  // Contract: sandbox-45
  test("that loops forever ends when it is cancelled, and the next call runs", async () => {
    const stop = new AbortController();
    const context = listening(stop.signal);
    const begun = Promise.withResolvers<void>();
    const output = { ...context.output, write: () => begun.resolve() };
    const call = value("loop_for_ever", {}, { ...context, output });
    await begun.promise;
    stop.abort(new Error("cancelled"));
    await assert.rejects(call, /cancelled/);
    assert.equal(await value("double", { n: 1 }), 2);
  });

  // Contract: sandbox-46
  test(
    "at its deadline is timed out, and its arguments are in no message",
    { skip: noSandbox },
    async () => {
      const approved = {
        file: { executionPolicy: "auto", timeoutMs: 400 },
        functions: {},
      } as const;
      const path = join(folder, "slow/slow.py");
      const slow = scriptFile(path, "def f(secret):\n    while True: pass");
      const executor = new ToolExecutor();
      executor.registerToolGroup(scriptGroup(slow, { run: runner.run, approved }));
      executor.toggleGroupEnabled("slow", true);
      const result = await executor.execute("f", { secret: "TOP SECRET" });
      assert.equal(result.status, "timed_out");
      assert.match(result.finalText, /0\.4 s|400 ms/);
      assert.doesNotMatch(JSON.stringify([result.finalText, result.error]), /SECRET|worker\.py/);
    },
  );

  // Contract: sandbox-47
  test("takes, prints and returns text in any script", async () => {
    const text = "größe 日本語 🙂 \u202e \ud83d";
    const context = listening();
    const script = scriptFile(
      join(folder, "text/script.py"),
      "def f(text):\n    print(text)\n    return {text: text}",
    );
    const { value: data } = await runFunction(runner, script, "f", { text }, context);
    assert.deepEqual(data, { [text]: text });
    assert.ok(context.printed().startsWith("größe 日本語 🙂"));
  });

  // Contract: scripts-11
  test("leaves no file next to its script", async () => {
    const script = scriptFile(
      join(folder, "clean/script.py"),
      "import _help\ndef f(): return _help.n",
      {
        "_help.py": "n = 1",
      },
    );
    assert.equal((await runFunction(runner, script, "f")).value, 1);
    assert.deepEqual(readdirSync(join(folder, "clean")).sort(), ["_help.py", "script.py"]);
  });

  // Contract: sandbox-48
  test("runs the version that was read, or fails if the file has changed since", async () => {
    const script = scriptFile(join(folder, "changed/script.py"), "def f(): return 'approved'");
    writeFileSync(script.path, "def f(): return 'other'");
    const { value: error } = await runFunction(runner, script, "f");
    assert.ok(isToolError(error) && error.code === "script_changed");
  });

  // Contract: sandbox-49
  test("leaves no copy of its script once its workers are gone", async () => {
    const own = testRunner();
    const script = scriptFile(join(folder, "copied/only_here.py"), "def f(): return 1");
    const copies = () =>
      readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, "only_here.py")));
    await runFunction(own, script, "f");
    assert.equal(copies().length, 1);
    await own.close();
    assert.deepEqual(copies(), []);
  });
});

describe("calls of one worker", { skip: noSandbox || noPython }, () => {
  // Contract: sandbox-51
  test("share the imported script, but no other state", async () => {
    const workers = new Set<unknown>();
    for (let call = 0; call < 3; call++) {
      assert.deepEqual(await value("leave_traces"), [1, false]);
      workers.add(await value("worker_id"));
    }
    assert.equal(workers.size, 1);
  });

  // Contract: sandbox-51
  test("leave no process running", async () => {
    await value("start_daemon");
    assert.equal(await value("count_others"), 0);
  });

  test("read a file that was opened at import from the position after the import", async () => {
    const script = scriptFile(
      join(folder, "opened/opened.py"),
      `import os
lines = open(__file__)
lines.readline()
raw = os.open(__file__, os.O_RDONLY)
def f(): return [lines.readline(), os.read(raw, 6).decode(), os.getppid()]
`,
    );
    const call = async () => (await runFunction(runner, script, "f")).value;
    const first = await call();
    assert.deepEqual((first as unknown[]).slice(0, 2), ["lines = open(__file__)\n", "import"]);
    assert.deepEqual(await call(), first);
  });

  const kept: readonly (readonly [what: string, made: string, read: string, change: string])[] = [
    ["a file", "p.write_text('0')", "p.read_text()", "p.write_text('1')"],
    ["a file that was removed", "p.write_text('0')", "p.exists()", "p.unlink(True)"],
    [
      "a file without a name",
      "t = tempfile.TemporaryFile()",
      "t.seek(0) or t.read()",
      "t.write(b'1'); t.flush()",
    ],
    ["a pipe", "r, w = os.pipe(); os.set_blocking(r, False)", "drain()", "os.write(w, b'1')"],
    ["shared memory", "m = mmap.mmap(-1, 1)", "m[0]", "m[0] = 1"],
  ];
  for (const [what, made, read, change] of kept)
    test(`do not affect the next call through ${what} that was created at import`, async () => {
      const script = scriptFile(
        join(folder, `kept${++count}/kept.py`),
        `import mmap, os, pathlib, tempfile
p = pathlib.Path("/tmp/made-at-import")
${made}
def drain():
    try: return os.read(r, 9)
    except BlockingIOError: return b""
def f():
    seen = repr(${read})
    ${change}
    return seen
`,
      );
      const call = async () => (await runFunction(runner, script, "f")).value;
      const first = await call();
      assert.equal(typeof first, "string");
      assert.deepEqual(await call(), first);
    });

  test("share a worker if they do not change anything that was created at import", async () => {
    const script = scriptFile(
      join(folder, "alone/alone.py"),
      `import os, pathlib
p = pathlib.Path("/tmp/made-at-import")
p.write_text("0")
def f(): return [p.read_text(), os.getppid()]
`,
    );
    const call = async () => (await runFunction(runner, script, "f")).value;
    assert.deepEqual(await call(), await call());
  });

  // Contract: sandbox-51
  test("cannot inspect their worker, which takes the next call", async () => {
    assert.deepEqual(await value("look_into_worker"), []);
  });

  // Contract: sandbox-52
  test("run concurrently in workers of their own", async () => {
    const results = await Promise.all([1, 2, 3].map((n) => value("double", { n })));
    assert.deepEqual(results, [2, 4, 6]);
  });
});

// Contract: sandbox-55
test(
  "without a sandbox each call has a process of its own",
  { skip: noPython || process.platform === "win32" },
  async () => {
    const loose = testRunner({ sandbox: unconfined });
    const call = async (name: string) => (await runFunction(loose, calls, name)).value;
    assert.notEqual(await call("worker_id"), await call("worker_id"));
    assert.deepEqual(await call("leave_traces"), [1, false]);
    assert.deepEqual(await call("leave_traces"), [1, false]);
  },
);

test("a found Python is cached; a missing one is searched again, and the model reads how to install it", async () => {
  let searches = 0;
  const late = testRunner({
    sandbox: unconfined,
    python: () =>
      Promise.resolve(
        ++searches === 1
          ? { status: "missing", message: "Install Python." }
          : { status: "found", executable: "/usr/bin/python3" },
      ),
  });
  const one = async () => (await runFunction(late, calls, "double", { n: 1 })).value;
  const missing = errorOf(await one());
  assert.deepEqual([missing.code, missing.message], ["python_missing", "Install Python."]);
  if (noPython !== false) return;
  assert.deepEqual([await one(), await one(), searches], [2, 2, 2]);
});
