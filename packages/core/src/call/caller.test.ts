import assert from "node:assert/strict";
import { test } from "node:test";
import { runToolChain } from "../chain/run-tool-chain.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import type { GivenFile, RequestTools } from "../tool/caller.ts";
import type { ApprovalAdapter } from "../policy/approval.ts";
import { GrantBook } from "../policy/grant.ts";

const file = (name: string): GivenFile => ({
  name,
  mimeType: "text/plain",
  read: () => new TextEncoder().encode(name),
});
const contextOf = ({ principal, request, files, idempotencyKey }: ToolContext) => ({
  principal: principal.id,
  tenant: request["tenant"],
  files: files.map(({ name }) => name),
  idempotencyKey,
});
const inner = defineTool({
  ...reads,
  name: "Inner",
  execute: (_args, context) => contextOf(context),
});
const outer = defineTool({
  ...reads,
  name: "Outer",
  execute: async (_args, context) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    const result = await context.callTool("Inner", {});
    return { own: contextOf(context), inner: result.status === "success" ? result.data : result };
  },
});

// Contract: executor-109, executor-172, plugins-18, plugins-56
test("concurrent calls and their sub-calls see only their own principal, request and files", async () => {
  const executor = executorWith([inner, outer], { limits: { callsAtOnce: 50 } });
  const calls = Array.from({ length: 300 }, (_, n) =>
    executor.execute(
      "Outer",
      {},
      {
        callId: `call_${n}`,
        caller: {
          principal: { id: `p${n}` },
          request: { tenant: n },
          files: { Inner: [file(`inner${n}`)], _all: [file(`all${n}`)] },
        },
      },
    ),
  );
  for (const [n, result] of (await Promise.all(calls)).entries()) {
    const common = { principal: `p${n}`, tenant: n };
    const key = `call_${n}`;
    assert.deepEqual(result.status === "success" ? result.data : result, {
      own: { ...common, files: [`all${n}`], idempotencyKey: key },
      inner: { ...common, files: [`inner${n}`, `all${n}`], idempotencyKey: `${key}/1` },
    });
  }
});

// Contract: executor-54, plugins-55
test("a tool gets its own files and the shared files, without duplicates", async () => {
  const shared = file("shared");
  const files = { "test.Inner": [file("by-id"), shared], Inner: [file("by-name")], _all: [shared] };
  const executor = executorWith([inner], { files });
  const result = await executor.execute("Inner", {});
  const seen = result.status === "success" ? (result.data as { files: unknown }).files : result;
  assert.deepEqual(seen, ["by-id", "shared", "by-name"]);
});

// Contract: plugins-81
test("a tool gets its own entry of the request, or else its group's, and never another's", async () => {
  const entry = defineTool({
    ...reads,
    name: "Inner",
    execute: (_args, { tool }) => tool ?? "none",
  });
  const other = defineTool({
    ...reads,
    name: "Other",
    execute: async (_args, { tool, callTool }) => {
      const inner = await callTool("Inner", {});
      return [tool, inner.status === "success" ? inner.data : inner.status];
    },
  });
  const executor = executorWith([entry, other]);
  const web = { type: "web_search", filters: { allowed_domains: ["a.example"] } };
  const group = { type: "mcp", server_label: "t" };
  const dataOf = async (name: string, tools: RequestTools) => {
    const result = await executor.execute(name, {}, { caller: { tools } });
    return result.status === "success" ? result.data : result;
  };
  assert.deepEqual(await dataOf("Inner", { "test.Inner": web, test: group }), web);
  assert.deepEqual(await dataOf("Other", { "test.Inner": web, test: group }), [group, web]);
  assert.equal(await dataOf("Inner", { "test.Other": web }), "none");
  assert.equal(await dataOf("Inner", {}), "none");
});

// Contract: plugins-55, plugins-82
test("a tool sees the files of its type, and reads them whole or in pieces", async () => {
  const pieces: GivenFile = {
    ...file("pieces"),
    id: "file-1",
    async *stream() {
      yield new Uint8Array([1, 2]);
      yield new Uint8Array([3]);
    },
  };
  const reader = defineTool({
    ...reads,
    name: "Reader",
    execute: async (_args, { files, signal }) =>
      Promise.all(
        files.map(async (one) => {
          const lengths: number[] = [];
          for await (const piece of one.stream(signal)) lengths.push(piece.length);
          return [one.id ?? null, one.name, lengths];
        }),
      ),
  });
  const executor = executorWith([reader]);
  const files = { file_search: [pieces], _all: [file("all")], code_interpreter: [file("no")] };
  const tools = { "test.Reader": { type: "file_search" } };
  let asked = 0;
  const caller = { tools, files: () => (asked++, files) };
  const result = await executor.execute("Reader", {}, { caller });
  assert.deepEqual(result.status === "success" && result.data, [
    ["file-1", "pieces", [2, 1]],
    [null, "all", [3]],
  ]);
  assert.equal(asked, 1, "a function is called when a call starts");
});

// Contract: plugins-58
test("a tool whose name is an inherited object property gets no files from the prototype", async () => {
  const odd = defineTool({
    ...reads,
    name: "constructor",
    execute: (_args, { files }) => files.length,
  });
  const result = await executorWith([odd], { files: { _all: [] } }).execute("constructor", {});
  assert.equal(result.status === "success" && result.data, 0);
});

// Contract: plugins-57
test("a file is read when the tool requests it", async () => {
  const reader = defineTool({
    ...reads,
    name: "Reader",
    execute: async (_args, { files, signal }) =>
      new TextDecoder().decode(await files[0]?.read(signal)),
  });
  const result = await executorWith([reader], { files: { _all: [file("bytes")] } }).execute(
    "Reader",
    {},
  );
  assert.equal(result.status === "success" && result.data, "bytes");
});

// Contract: plugins-17
test("a chain's calls belong to its caller", async () => {
  const executor = executorWith([inner], { request: { tenant: "executor's" } });
  const chain = runToolChain({
    executor,
    model: new ScriptedModel([{ calls: [{ name: "Inner" }] }, "done"]),
    contextMessages: [],
    caller: { principal: { id: "ann" }, request: { tenant: "a" } },
  });
  const [entry] = (await chain.result).toolCallHistory;
  assert.match(JSON.stringify(entry?.result), /"principal":"ann","tenant":"a"/);
  assert.equal((await chain.result).state.calls[0]?.principalId, "ann");
});

// Contract: plugins-19
test("a principal's approval does not apply to other principals", async () => {
  const asked: string[] = [];
  const approvals: ApprovalAdapter = {
    request: ({ callId }) => (asked.push(callId), { decision: "allow", scope: "session" }),
  };
  const asks = defineTool({ name: "Asks", description: "", execute: () => "ok" });
  const executor = executorWith([asks], { approvals });
  const ann = { caller: { principal: { id: "ann" } } };
  for (const [callId, options] of [
    ["a1", ann],
    ["a2", ann],
    ["own1", {}],
    ["own2", {}],
    ["b1", { caller: { principal: { id: "bob" } } }],
  ] as const) {
    assert.equal((await executor.execute("Asks", {}, { callId, ...options })).status, "success");
  }
  assert.deepEqual(asked, ["a1", "own1", "b1"]);
});

// Contract: plugins-19
test("executors that share a grant book do not share grants of different principals", async () => {
  const asked: string[] = [];
  const approvals: ApprovalAdapter = {
    request: ({ principalId }) => (asked.push(principalId), { decision: "allow", scope: "always" }),
  };
  const grants = new GrantBook();
  const asks = defineTool({ name: "Asks", description: "", execute: () => "ok" });
  const of = (id: string) => executorWith([asks], { approvals, grants, principal: { id } });
  for (const id of ["ann", "ann", "bob", "ann", "bob"])
    assert.equal((await of(id).execute("Asks", {})).status, "success");
  // The session may belong to any principal.
  await of("ann").execute("Asks", {}, { caller: { principal: { id: "bob" } } });
  assert.deepEqual(asked, ["ann", "bob"]);
  assert.deepEqual(
    grants.list().map(({ principalId }) => principalId),
    ["ann", "bob"],
  );
});
