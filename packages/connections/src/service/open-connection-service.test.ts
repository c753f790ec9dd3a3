import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { echoTool, fakeServer } from "../testing/fake-server.ts";
import { testService } from "../testing/test-service.ts";

const program = { name: "tickets", command: process.execPath };
const approver = { mayApprove: true };
const other = { mayApprove: false };

test("a caller who may not approve cannot accept changed tools by adding a connection again", async () => {
  const server = fakeServer();
  await using opened = await testService({ sandbox: server.sandbox });
  const { service } = opened;
  const waiting = async () => (await service.get("tickets", "ann"))?.waiting;
  await service.create(program, "ann", approver);
  assert.deepEqual(await waiting(), []);
  server.options.tools = [{ ...echoTool, description: "Changed." }];
  await service.check("tickets", "ann");
  assert.deepEqual(await waiting(), ["echo"]);

  await service.remove("tickets");
  await service.create(program, "eve", other);
  assert.deepEqual(await waiting(), ["echo"]);
  await service.change("tickets", { enabled: false }, "eve");
  await service.change("tickets", { enabled: true }, "eve");
  await service.check("tickets", "eve");
  assert.deepEqual(await waiting(), ["echo"]);

  const digest = (await service.get("tickets", "ann"))?.digest ?? "";
  assert.equal((await service.accept("tickets", digest, "ann")).status, "done");
  assert.deepEqual(await waiting(), []);
});

test("a check lists the tools again if a session is open", async () => {
  const server = fakeServer();
  await using opened = await testService({ sandbox: server.sandbox });
  await opened.service.create(program, "ann", approver);
  server.options.tools = [echoTool, { ...echoTool, name: "second" }];
  const checked = await opened.service.check("tickets", "ann");
  assert.deepEqual(checked.status === "done" && checked.value.waiting, ["second"]);
  assert.equal(server.processes.length, 1);
});

test("a caller who may not approve cannot add a server in a private network, however it is written", async () => {
  let requests = 0;
  const server = createServer((_request, response) => void (requests++, response.end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await using opened = await testService();
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"]) {
    const body = { name: "tickets", url: `http://${host}:${port}/mcp` };
    const made = await opened.service.create(body, "eve", other);
    assert.equal(made.status === "failed" && made.code, "private_address", host);
    assert.match(made.status === "failed" ? made.message : "", /needs the right "approve"/);
  }
  assert.equal(requests, 0);
  server.close();
});
