import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor, type ToolExecutorOptions } from "@capstan/core";
import type {
  DeclaredPermissions,
  RunScriptFunction,
  Script,
} from "../definition/script-function.ts";
import { scriptGroup } from "./script-group.ts";
import { fakeFunction } from "../testing/tool-folder.ts";

const script: Script = {
  path: "/tools/weather.py",
  language: "python",
  groupId: "weather",
  title: "Weather",
  rules: "Ask once a day.",
  functions: [
    {
      ...fakeFunction("forecast"),
      returns: { type: "dict", note: "by day" },
      raises: [{ type: "ValueError", note: "for no town" }, { type: "OSError" }],
    },
  ],
  problems: [],
  files: ["weather.py"],
  folder: "/tools",
  contentHash: "sha256:1",
};

function executorWith(
  options: { readonly run?: RunScriptFunction; readonly approved?: DeclaredPermissions },
  gate: ToolExecutorOptions = {},
  from: Script = script,
) {
  const { run = async () => ({ value: "sunny" }), approved } = options;
  const executor = new ToolExecutor(gate);
  executor.registerToolGroup(scriptGroup(from, { run, approved }));
  executor.toggleGroupEnabled("weather", true);
  return executor;
}

test("a script is a group with its rules and title, and its functions' documentation is in their definitions", () => {
  const executor = executorWith({});
  const [group] = executor.groups();
  assert.deepEqual(
    [group?.name, group?.title, group?.rulePrompt],
    ["weather", "Weather", "Ask once a day."],
  );
  assert.equal(
    executor.getEnabledToolDefinitions()[0]?.function.description,
    "Does forecast.\n\nFails with:\n- ValueError: for no town\n- OSError\nReturns dict: by day",
  );
});

// Contract: scripts-63
test("until a user approves the content every call asks, regardless of earlier answers", async () => {
  let asked = 0;
  const request = () => {
    asked += 1;
    return { decision: "allow" } as const;
  };
  const executor = executorWith({}, { approvals: { request } });
  await executor.execute("forecast", {});
  await executor.execute("forecast", {});
  assert.equal(asked, 2);
});

// Contract: scripts-63
test("the approved policies, effects and deadline apply", () => {
  const file = { executionPolicy: "auto", effects: "read", timeoutMs: 5_000 } as const;
  const approved = { file, functions: { forecast: { resultApprovalPolicy: "always" } } } as const;
  const tool = executorWith({ approved }).getTool("forecast");
  assert.deepEqual(tool?.permission, { executionPolicy: "auto", resultApprovalPolicy: "always" });
  assert.equal(tool?.effects, "read");
  assert.equal(tool?.timeoutMs, 5_000);
  const plain = executorWith({ approved: { file: {}, functions: {} } }).getTool("forecast");
  assert.deepEqual(plain?.permission, {
    executionPolicy: "ask-once",
    resultApprovalPolicy: "never",
  });
  assert.equal(plain?.timeoutMs, 30_000);
  assert.equal(plain?.effects, undefined);
});

// Contract: scripts-63
test("a script cannot grant itself permissions", () => {
  const bold = {
    ...script,
    declared: { file: { executionPolicy: "auto", effects: "read" }, functions: {} },
  } as const;
  const tool = executorWith({}, {}, bold).getTool("forecast");
  assert.deepEqual(tool?.permission, { executionPolicy: "ask-always" });
  assert.equal(tool?.effects, undefined);
});

// Contract: scripts-30
test("a call runs the function with its arguments, and the model reads the text of its format", async () => {
  const calls: unknown[] = [];
  const run: RunScriptFunction = async (call) => {
    calls.push([call.script.path, call.function.name, call.arguments, call.signal.aborted]);
    return { value: { sky: "clear" }, formattedText: "The sky is clear." };
  };
  const approved = { file: { executionPolicy: "auto" }, functions: {} } as const;
  const result = await executorWith({ run, approved }).execute("forecast", {});
  assert.deepEqual(calls, [["/tools/weather.py", "forecast", {}, false]]);
  assert.ok(result.status === "success");
  assert.deepEqual(result.data, { sky: "clear" });
  assert.equal(result.finalText, "The sky is clear.");
});
