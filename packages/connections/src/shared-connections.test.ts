import assert from "node:assert/strict";
import { test } from "node:test";
import { InlineApprovalAdapter } from "@capstan/core";
import { fakeServer, type FakeProcess, type Message } from "./testing/fake-server.ts";
import { textOf, until } from "./testing/read-results.ts";
import { executorOf, programConnection, testConnections } from "./testing/test-connections.ts";

test("a question of a shared server during the calls of two users reaches neither of them", async () => {
  const open: { readonly request: Message; readonly process: FakeProcess }[] = [];
  const server = fakeServer({
    call(request, process) {
      open.push({ request, process });
      return "sent";
    },
  });
  await using connections = testConnections({
    sandbox: server.sandbox,
    connections: [programConnection({ shared: true })],
  });
  await connections.check();
  const approvals = new InlineApprovalAdapter();
  const logs: { readonly owner: string; readonly data: unknown }[] = [];
  const start = (owner: string) => {
    const executor = executorOf(connections, {
      principal: { id: owner },
      rules: [{ tool: "fake.echo", execution: "auto" }],
      approvals,
    });
    return executor.execute(
      "echo",
      { text: owner },
      {
        onOutput: (_call, output) => {
          if (output.type === "event") logs.push({ owner, data: output.data });
        },
      },
    );
  };
  const ann = start("ann");
  await until(() => open.length === 1);
  const ben = start("ben");
  await until(() => open.length === 2);
  const process = server.processes.at(-1);
  assert.ok(process);
  process.send({
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { level: "info", data: "Ann's ticket" },
  });
  process.send({
    jsonrpc: "2.0",
    id: "q",
    method: "elicitation/create",
    params: { message: "Whose ticket?", requestedSchema: { type: "object", properties: {} } },
  });
  await until(() => process.received.some(({ id }) => id === "q"));
  const answer = process.received.find(({ id }) => id === "q");
  assert.deepEqual(answer?.result, { action: "cancel" });
  assert.deepEqual([approvals.pending.length, logs], [0, []]);
  for (const { request } of open)
    process.send({
      jsonrpc: "2.0",
      id: request.id,
      result: { content: [{ type: "text", text: "done" }] },
    });
  assert.deepEqual([textOf(await ann), textOf(await ben)], ["done", "done"]);
});
