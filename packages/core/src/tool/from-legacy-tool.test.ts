import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith } from "../testing/executor-with.ts";
import { fromLegacyTool } from "./from-legacy-tool.ts";

async function call(returned: unknown) {
  const tool = fromLegacyTool({
    definition: { type: "function", function: { name: "Old", description: "" } },
    permission: { executionPolicy: "auto" },
    execute: async () => {
      if (returned instanceof Error) throw returned;
      return returned;
    },
  });
  return executorWith([tool]).execute("Old", {});
}

// Contract: executor-257
test("a reported failure is a failure with its reason, and not data", async () => {
  for (const [returned, code, message] of [
    [{ status: "error", error: "No such boat." }, "tool_failed", "No such boat."],
    [{ status: "ERROR", error: "No." }, "tool_failed", "No."],
    [{ status: "execution_rejected", rejectReason: "Not now." }, "tool_refused", "Not now."],
    [{ status: "not_found", data: "No file." }, "not_found", "No file."],
    [{ status: "error" }, "tool_failed", 'The tool reported the status "error" without a reason.'],
  ] as const) {
    const result = await call(returned);
    assert.ok(result.status === "error", JSON.stringify(result));
    assert.deepEqual([result.error.code, result.error.message], [code, message]);
  }
  const thrown = await call(new Error("Down."));
  assert.ok(thrown.status === "error");
  assert.equal(thrown.error.code, "tool_threw");
});

// Contract: executor-257
test("the data of a success is the result; other values are data as they are", async () => {
  for (const [returned, data] of [
    [{ status: "success", data: { a: 1 } }, { a: 1 }],
    [{ status: "success" }, null],
    [
      { status: "shipped", id: 5 },
      { status: "shipped", id: 5 },
    ],
    [{ status: 404 }, { status: 404 }],
    [[1], [1]],
  ] as const) {
    const result = await call(returned);
    assert.ok(result.status === "success");
    assert.deepEqual(result.data, data);
  }
});
