import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isToolError, type ToolContext } from "@capstan/core";
import { fakeContext } from "@capstan/core/testing";
import { noSandbox, testFolder } from "@capstan/sandbox/testing";
import { runFunction, scriptFile, testRunner } from "../../testing/run-script.ts";
import { loadTreeReader } from "../../testing/tree-outline.ts";
import type { Script } from "../../definition/script-function.ts";
import { findPowerShell } from "./find-powershell.ts";

const folder = testFolder();
const standIn = join(folder, "pwsh");
copyFileSync(fileURLToPath(new URL("testing/stand-in.py", import.meta.url)), standIn);
chmodSync(standIn, 0o755);
const skip = noSandbox || (existsSync("/usr/bin/python3") ? false : "no /usr/bin/python3");

function script(name = "boats", source = "function Get-Echo {}"): Script {
  const names = ["Get-Echo", "Get-Answer", "Get-Failure", "Get-Nothing", "Get-Loop"];
  return {
    ...scriptFile(join(folder, "scripts", `${name}.ps1`), source),
    language: "powershell",
    functions: names.map((one) => ({
      name: one,
      description: "",
      parameters: { type: "object" },
      raises: [],
      hasFormat: true,
      wantsContext: true,
      line: 1,
    })),
  };
}

const runner = testRunner({ powershell: () => findPowerShell({ interpreter: standIn }) });
const value = async (name: string, context?: ToolContext, of = script()) =>
  (await runFunction(runner, of, name, { Name: "Bø" }, context)).value;

// Contract: scripts-51
test("the worker is valid PowerShell by its grammar", async () => {
  const read = await loadTreeReader();
  const source = readFileSync(new URL("worker.ps1", import.meta.url), "utf8");
  const outline = read(source);
  assert.ok(outline !== undefined);
  assert.equal(read(`${source}\n}`), undefined);
  const names = outline.functions.map(({ name }) => name);
  assert.ok(names.includes("Write-Progress") && names.includes("__Call"));
  // Windows PowerShell would read other characters by another code page.
  assert.doesNotMatch(source, /[^\n\x20-\x7e]/);
});

describe("a call of a PowerShell function", { skip }, () => {
  // Contract: scripts-44
  test("answers on its own channel, and its output is streamed", async () => {
    let printed = "";
    const plain = fakeContext();
    const context = {
      ...plain,
      output: { ...plain.output, write: (text: string) => void (printed += text) },
    };
    const { value: result, formattedText } = await runFunction(
      runner,
      script(),
      "Get-Echo",
      { Name: "Bø" },
      context,
    );
    assert.deepEqual(result, {
      options: ["-NoLogo", "-NoProfile", "-NonInteractive"],
      worker: true,
      stdin: "",
      alone: "alone",
      function: "Get-Echo",
      arguments: { Name: "Bø" },
      wantsContext: true,
      hasFormat: true,
      idempotencyKey: plain.idempotencyKey,
      about: { user: "local", request: {}, tool: null, files: [] },
    });
    assert.equal(formattedText, "as text");
    assert.equal(printed, "loaded\nsaid\n");
    assert.deepEqual(plain.progress, [{ message: "half", done: 50, total: 100 }]);
  });

  // Contract: scripts-48
  test("asks the host, each call in a process of its own", async () => {
    const context = fakeContext();
    const calls: unknown[] = [];
    const asking = {
      ...context,
      callTool: (...call: readonly unknown[]) => {
        calls.push(call);
        return context.callTool("nothing.There", {});
      },
    } as unknown as ToolContext;
    assert.ok("error" in ((await value("Get-Answer", asking)) as object));
    assert.equal(calls.length, 1);
  });

  // Contract: scripts-47
  test("that throws reports its type, message and line, and to the user the whole stack", async () => {
    const error = await value("Get-Failure");
    assert.ok(isToolError(error));
    assert.equal(error.message, "RuntimeException: There is no boat Bo. (boats.ps1, line 3)");
    assert.deepEqual(error.details, { exception: "RuntimeException", traceback: "the whole" });
  });

  // Contract: scripts-49
  test("whose process ends, or that loops forever, is ended, and the next call runs", async () => {
    const crashed = await value("Get-Nothing");
    assert.ok(isToolError(crashed) && crashed.code === "script_crashed");
    const stop = new AbortController();
    const looping = value("Get-Loop", fakeContext({ signal: stop.signal }));
    setTimeout(() => stop.abort(new Error("stopped")), 300);
    await assert.rejects(looping, /stopped/);
    const next = await value("Get-Echo");
    assert.ok(!isToolError(next), JSON.stringify(next));
  });

  // Contract: scripts-50
  test("reports the reason if its script does not load", async () => {
    const error = await value("Get-Echo", undefined, script("broken", "# does not load"));
    assert.ok(isToolError(error) && error.code === "script_not_loaded");
    assert.match(error.message, /^The script does not load\. ParseException: Unexpected token\./);
  });
});

// Contract: scripts-43
test("if PowerShell is missing or too old, the error says what to do", async () => {
  const none = await findPowerShell({ interpreter: join(folder, "nowhere") });
  assert.ok(none.status === "missing");
  assert.match(none.message, /need PowerShell 7 or later .*CAPSTAN_PWSH=/);
  const without = testRunner({ powershell: () => Promise.resolve(none) });
  const { value: error } = await runFunction(without, script(), "Get-Echo");
  assert.ok(isToolError(error) && error.code === "powershell_missing");
  const other = await findPowerShell({ interpreter: "/bin/true" });
  assert.equal(other.status, "missing");
});
