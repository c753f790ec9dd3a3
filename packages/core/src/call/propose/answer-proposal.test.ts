import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter, ApprovalDecision } from "../../policy/approval.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ToolExecutor } from "../tool-executor.ts";

const fine: ApprovalDecision = { decision: "allow" };

/** A call of T that somebody must be asked about, and what ran of it. */
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

test("a tool that is switched off while its call waits does not run with changed arguments either", async () => {
  const { result, ran } = await ask((executor) => {
    executor.toggleGroupEnabled("test", false);
    return { ...fine, arguments: { path: "b" } };
  });
  assert.equal(result.status, "not_found");
  assert.deepEqual(ran, []);
});

test("a tool that is taken away while its call waits does not run", async () => {
  const { result, ran } = await ask((executor) => {
    executor.unregisterToolGroup("test");
    return fine;
  });
  assert.equal(result.status, "not_found");
  assert.deepEqual(ran, []);
});

test("a call that waits runs the tool that is there now, if it is defined as the one that was asked about", async () => {
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

test("whoever asks may change what they show: what was proposed is what runs", async () => {
  const { result, ran } = await ask((_executor, { args }) => {
    (args as { path: string })["path"] = "elsewhere";
    return fine;
  });
  assert.equal(result.status, "success");
  assert.deepEqual(ran, [{ path: "a" }]);
});

test("changed arguments are those that were checked, whatever becomes of the answer's object", async () => {
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

test("changed arguments that are no plain data end the call", async () => {
  const odd = { path: 1n as unknown as string };
  const { result, ran } = await ask(() => ({ ...fine, arguments: odd }));
  assert.equal(result.status, "error");
  assert.deepEqual(ran, []);
});

test("an answer that throws where it is touched is a no", async () => {
  const { result } = await ask(() => ({
    get decision(): "allow" {
      throw new Error("do not touch");
    },
  }));
  assert.equal(result.status, "execution_rejected");
});

test("a sub-call that cannot be recorded and that its tool does not wait for harms nobody", async () => {
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

test("who listens to variables and throws changes nothing of a call", async () => {
  const executor = executorWith([defineTool({ ...reads, name: "T", execute: () => "done" })]);
  const heard: string[] = [];
  executor.variables.subscribe(() => assert.fail("a listener that throws"));
  executor.variables.subscribe(({ type }) => heard.push(type));
  assert.equal((await executor.execute("T", {})).status, "success");
  assert.deepEqual(heard, ["set", "set"]);
});
