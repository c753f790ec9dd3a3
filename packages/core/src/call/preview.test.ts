import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter, ApprovalRequest } from "../policy/approval.ts";
import { executorWith } from "../testing/executor-with.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolError } from "../tool/return-value.ts";
import type { ToolExecuteResult } from "./record/call-outcome.ts";

/**
 * Returns an executor with a tool that replaces a text. The tool's preview shows the replacement.
 */
function replacing(request: ApprovalAdapter["request"]) {
  const state = { text: "old", runs: 0, previews: 0 };
  const tool = defineTool({
    name: "Replace",
    description: "",
    parameters: {
      type: "object",
      properties: { by: { type: "string" } },
      required: ["by"],
    },
    permission: {
      executionPolicy: "ask-once",
      preview: async (args, { principal, signal }) => {
        const { by } = args as { by: string };
        state.previews++;
        assert.ok(!signal.aborted && principal.id === "local");
        if (by === "throw") throw new Error("disk");
        if (by === "long") return "x".repeat(1_000_001);
        if (by === state.text) return toolError({ code: "same", message: "It is the same." });
        return `- ${state.text}\n+ ${by}`;
      },
    },
    execute: async (args) => {
      state.runs++;
      state.text = (args as { by: string }).by;
    },
  });
  const executor = executorWith([tool], { approvals: { request } });
  return { state, run: (by: string) => executor.execute("Replace", { by }) };
}

function errorOf(result: ToolExecuteResult): string {
  return result.status === "error" ? result.error.code : result.status;
}

// Contract: executor-254
test("an approval shows the effect of a call; a grant for the same call needs no preview", async () => {
  const asked: ApprovalRequest[] = [];
  const { run, state } = replacing((request) => {
    asked.push(request);
    return { decision: "allow" };
  });
  assert.equal((await run("new")).status, "success");
  assert.equal(asked[0]?.preview?.text, "- old\n+ new");
  assert.equal(asked[0]?.preview?.length, 11);
  assert.deepEqual(state, { text: "new", runs: 1, previews: 2 });
});

// Contract: executor-255
test("no user is asked about a call that would fail", async () => {
  let asked = 0;
  const { run, state } = replacing(() => {
    asked++;
    return { decision: "allow" };
  });
  assert.equal(errorOf(await run("old")), "same");
  assert.equal(errorOf(await run("throw")), "preview_failed");
  // No user could see it whole.
  assert.equal(errorOf(await run("long")), "preview_too_long");
  assert.deepEqual([asked, state.runs], [0, 0]);
});

// Contract: executor-256
test("a call whose effect changed after the approval was requested is not run", async () => {
  const { run, state } = replacing(() => {
    state.text = "changed by another program";
    return { decision: "allow" };
  });
  assert.equal(errorOf(await run("new")), "effect_changed");
  assert.deepEqual([state.runs, state.text], [0, "changed by another program"]);
});

// Contract: executor-256
test("arguments that the user edited are run with another effect than the one that was shown", async () => {
  const { run, state } = replacing(() => ({ decision: "allow", arguments: { by: "edited" } }));
  assert.equal((await run("new")).status, "success");
  assert.equal(state.text, "edited");
});

// Contract: executor-256
test("edited arguments are not run if their effect changes after the answer", async () => {
  let answered = false;
  const { run, state } = replacing(() => {
    answered = true;
    return { decision: "allow", arguments: { by: "edited" } };
  });
  const previews = Object.getOwnPropertyDescriptor(state, "previews");
  assert.ok(previews);
  let count = 0;
  Object.defineProperty(state, "previews", {
    get: () => count,
    set(next: number) {
      count = next;
      // The third preview checks the effect again before the call runs.
      if (answered && count === 3) state.text = "changed by another program";
    },
  });
  assert.equal(errorOf(await run("new")), "effect_changed");
  assert.equal(state.runs, 0);
});

test("edited arguments whose effect cannot be shown fail the call", async () => {
  const { run, state } = replacing(() => ({ decision: "allow", arguments: { by: "throw" } }));
  assert.equal(errorOf(await run("new")), "preview_failed");
  assert.equal(state.runs, 0);
});
