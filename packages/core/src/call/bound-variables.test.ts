import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter, ApprovalRequest } from "../policy/approval.ts";
import { executorWith } from "../testing/executor-with.ts";
import { shownTexts, unseenChars } from "../text/visible-text.ts";
import { defineTool } from "../tool/define-tool.ts";
import { readShownVariable } from "./gate/bound-variables.ts";
import type { ToolExecuteResult } from "./record/call-outcome.ts";
import { VariableSystem } from "../variables/variable-system.ts";

interface Args {
  readonly variables: readonly string[];
}

/** An executor with a tool that runs the code in the variables that its call names. */
function codeExecutor(request: ApprovalAdapter["request"], variables = new VariableSystem()) {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "Run",
    description: "",
    permission: {
      executionPolicy: "ask-once",
      readsVariables: (args) => (args as Args).variables,
    },
    execute: async (args, context) => {
      for (const name of (args as Args).variables) {
        variables.addVariable(name, "changed while it runs", "USER_ADD");
        ran.push((await context.readVariable(name))?.value.text);
      }
    },
  });
  const executor = executorWith([tool], { approvals: { request }, variables });
  const run = (...names: string[]) => executor.execute("Run", { variables: names });
  const set = (text: string) => void variables.addVariable("CMD", text, "USER_ADD");
  return { executor, variables, run, set, ran };
}

function textOf(result: ToolExecuteResult): string {
  return result.status === "pending" ? "" : result.finalText;
}

// Contract: executor-250
test("an approval shows the variables that a call reads, and the call gets the shown contents", async () => {
  const asked: ApprovalRequest[] = [];
  const { run, set, ran } = codeExecutor((request) => {
    asked.push(request);
    return { decision: "allow" };
  });
  set("print(1)");
  assert.equal((await run("CMD")).status, "success");
  const [{ digest: shown = "", ...rest } = {}, ...others] = asked[0]?.variables ?? [];
  assert.deepEqual([rest, others], [{ name: "CMD", text: "print(1)", length: 8 }, []]);
  assert.match(shown, /^[0-9a-f]{64}$/);
  assert.deepEqual(ran, ["print(1)"]);
});

// Contract: executor-250
test("a variable that changes after the approval was requested fails the call", async () => {
  const { run, set, ran } = codeExecutor(() => {
    set("steal()");
    return { decision: "allow" };
  });
  set("print(1)");
  const result = await run("CMD");
  assert.equal(result.status === "error" && result.error.code, "variable_changed");
  assert.match(textOf(result), /CMD/);
  assert.deepEqual(ran, []);
});

// Contract: executor-250
test("a grant for exactly these arguments covers only the approved contents", async () => {
  const answers: ("allow" | "refuse")[] = ["allow", "refuse"];
  let asked = 0;
  const { run, set, ran } = codeExecutor(() => ({ decision: answers[asked++] ?? "refuse" }));
  set("print(1)");
  await run("CMD");
  set("print(1)");
  await run("CMD");
  assert.deepEqual([asked, ran], [1, ["print(1)", "print(1)"]]);
  set("steal()");
  assert.equal((await run("CMD")).status, "execution_rejected");
  // The rejection applies only to these contents.
  assert.equal((await run("CMD")).status, "execution_rejected");
  assert.equal(asked, 2);
  set("print(1)");
  assert.equal((await run("CMD")).status, "success");
  assert.equal(ran.length, 3);
});

test("a call whose approval request waited in storage fails if a variable changed in the meantime", async () => {
  const { executor, run, set, ran } = codeExecutor(() => ({ decision: "pending" }));
  set("print(1)");
  const waiting = await run("CMD");

  set("steal()");
  assert.ok(waiting.status === "pending");
  const record = structuredClone(waiting.record);
  const end = await executor.answerApproval(record, { decision: "allow" });
  assert.equal(end.status === "error" && end.error.code, "variable_changed");
  assert.deepEqual(ran, []);
});

test("changed arguments may not name variables that the approval did not show", async () => {
  const { run, set, variables, ran } = codeExecutor(() => ({
    decision: "allow",
    arguments: { variables: ["OTHER"] },
  }));
  variables.addVariable("OTHER", "steal()", "USER_ADD");
  set("print(1)");
  const result = await run("CMD");
  assert.match(textOf(result), /OTHER \(not part of the approval\)/);
  assert.deepEqual(ran, []);
});

test("a variable that does not exist fails the call before any approval is requested", async () => {
  const { run } = codeExecutor(() => assert.fail("asked"));
  const result = await run("NONE");
  assert.equal(result.status === "error" && result.error.code, "variable_not_found");
});

test("an approval request states what it does not contain, and gives the rest only if it is the covered content", async () => {
  const asked: ApprovalRequest[] = [];
  const { run, set, variables } = codeExecutor((request) => {
    asked.push(request);
    return { decision: "refuse" };
  });
  const code = `${"# harmless\n".repeat(6_000)}steal()`;
  set(code);
  await run("CMD");
  const [request] = asked;
  assert.ok(request?.variables?.[0]);
  const [shown] = request.variables;
  assert.equal(shown.length - shown.text.length, unseenChars(request));
  assert.ok(unseenChars(request) > 0);
  const [[name] = []] = shownTexts({}, request);
  assert.match(
    name ?? "",
    /first 65536 of 66007 characters; 471 are not shown, SHA-256 [0-9a-f]{16}/,
  );
  const current = variables.getVariable("CMD");
  assert.ok(current);
  assert.equal(readShownVariable(current, shown), code);
  set(`${code} `);
  const changed = variables.getVariable("CMD");
  assert.ok(changed);
  assert.equal(readShownVariable(changed, shown), undefined);
});
