import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter, ApprovalDecision } from "../../policy/approval.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ToolExecutor } from "../tool-executor.ts";

const fine: ApprovalDecision = { decision: "allow" };

/** A call of T that requires approval, and the arguments with which T ran. */
async function ask(
  request: (
    executor: ToolExecutor,
    ...asked: Parameters<ApprovalAdapter["request"]>
  ) => ApprovalDecision,
) {
  const ran: unknown[] = [];
  const tool = defineTool({ name: "T", description: "", execute: (args) => ran.push(args) });
  const executor: ToolExecutor = executorWith([tool], {
    approvals: { request: (...asked) => request(executor, ...asked) },
  });
  const result = await executor.execute("T", { path: "a" });
  return { result, ran };
}

test("a tool that is disabled while its call waits does not run, not even with changed arguments", async () => {
  const { result, ran } = await ask((executor) => {
    executor.toggleGroupEnabled("test", false);
    return { ...fine, arguments: { path: "b" } };
  });
  assert.equal(result.status, "not_found");
  assert.deepEqual(ran, []);
});

test("a tool that is removed while its call waits does not run", async () => {
  const { result, ran } = await ask((executor) => {
    executor.unregisterToolGroup("test");
    return fine;
  });
  assert.equal(result.status, "not_found");
  assert.deepEqual(ran, []);
});

test("a waiting call runs the current tool if its definition is unchanged", async () => {
  const again = (description: string) =>
    ask((executor) => {
      executor.unregisterToolGroup("test");
      const tool = defineTool({ name: "T", description, execute: () => "second" });
      executor.registerToolGroup({ name: "test", tools: [tool] });
      return fine;
    });
  const same = await again("");
  assert.equal(same.result.status === "success" && same.result.data, "second");
  const other = await again("Another tool.");
  assert.equal(other.result.status, "not_found");
  assert.deepEqual([...same.ran, ...other.ran], []);
});

test("a call runs as proposed, even if the approval adapter changes its request", async () => {
  const { result, ran } = await ask((_executor, { args }) => {
    (args as { path: string })["path"] = "elsewhere";
    return fine;
  });
  assert.equal(result.status, "success");
  assert.deepEqual(ran, [{ path: "a" }]);
});

test("the checked arguments run, even if the answer's object changes later", async () => {
  const edited = { path: "b" };
  const ran: unknown[] = [];
  const tool = defineTool({ name: "T", description: "", execute: (args) => ran.push(args) });
  const check = async ({ path }: { readonly path?: unknown }) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (path === "b") edited.path = "elsewhere";
    return [];
  };
  const executor = executorWith([{ ...tool, check }], {
    approvals: { request: () => ({ ...fine, arguments: edited }) },
  });
  await executor.execute("T", { path: "a" });
  assert.deepEqual(ran, [{ path: "b" }]);
});

test("changed arguments that are not plain data end the call", async () => {
  const odd = { path: 1n as unknown as string };
  const { result, ran } = await ask(() => ({ ...fine, arguments: odd }));
  assert.equal(result.status, "error");
  assert.deepEqual(ran, []);
});

test("an answer that throws on access rejects the call", async () => {
  const { result } = await ask(() => ({
    get decision(): "allow" {
      throw new Error("do not touch");
    },
  }));
  assert.equal(result.status, "execution_rejected");
});

test("a sub-call that cannot be recorded and is not awaited affects no other call", async () => {
  const unhandled: unknown[] = [];
  const listener = (thrown: unknown) => unhandled.push(thrown);
  process.on("unhandledRejection", listener);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const executor = executorWith(
    [
      defineTool({
        ...reads,
        name: "Parent",
        execute: async (_args, { callTool }) => {
          void callTool("Child", {});
          await turn();
        },
      }),
      defineTool({ ...reads, name: "Child", execute: () => "done" }),
    ],
    {
      ledger: {
        record({ name }) {
          if (name === "Child") throw new Error("the disk is full");
        },
      },
    },
  );
  assert.equal((await executor.execute("Parent", {})).status, "success");
  await turn();
  process.off("unhandledRejection", listener);
  assert.deepEqual(unhandled, []);
});

test("a variable listener that throws does not affect a call", async () => {
  const executor = executorWith([defineTool({ ...reads, name: "T", execute: () => "done" })]);
  const types: string[] = [];
  executor.variables.subscribe(() => assert.fail("a listener that throws"));
  executor.variables.subscribe(({ type }) => types.push(type));
  assert.equal((await executor.execute("T", {})).status, "success");
  assert.deepEqual(types, ["set", "set"]);
});
