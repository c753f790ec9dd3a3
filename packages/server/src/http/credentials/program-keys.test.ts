import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { defineTool } from "@capstan/core";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { withDataDir } from "@capstan/store/testing";
import { createTestApp, requestTo, toyTools } from "../../testing/app-fixtures.ts";
import { connectMcp } from "../../testing/mcp-client.ts";
import { openPairing, terminalKeyFile } from "./pairing.ts";
import { openProgramKeys, programFolder } from "./program-keys.ts";

/** A server without keys on loopback, its keys of programs, and requests with a key. */
function served(folder: string) {
  const clock = new FakeClock();
  const programKeys = openProgramKeys({ folder, clock });
  const pairing = openPairing({ folder });
  pairing.announce(8_787);
  const user = readFileSync(terminalKeyFile(folder, 8_787), "utf8");
  let sent = 0;
  const app = createTestApp({
    model: new ScriptedModel([]),
    tools: [
      defineTool({
        name: "Send",
        description: "",
        permission: { executionPolicy: "ask-once" },
        parameters: { type: "object", properties: { text: { type: "string" } } },
        execute: () => `sent ${++sent}`,
      }),
    ],
    pairing,
    programKeys,
    approvalsFrom: "anyone-until-connected",
    mcp: { waitMs: 10 },
  });
  async function ask(key: string, method: string, path: string, body?: object) {
    const request = requestTo(method, path, body);
    if (key !== "") request.headers.set("Authorization", `Bearer ${key}`);
    const response = await app.fetch(request);
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  }
  /** Makes a call that needs approval, and returns the id of the approval request. */
  async function call(key: string, text = "a"): Promise<string> {
    const client = await connectMcp(app, { key });
    const { content } = await client.callTool({ name: "Send", arguments: { text } });
    await client.close();
    assert.match(JSON.stringify(content), /AwaitCall/);
    for (;;) {
      const { data } = (await ask(key, "GET", "/v1/approvals?status=pending")).body;
      if (data.length > 0) return data[0].id;
      await setTimeout(5);
    }
  }
  return { app, ask, call, clock, programKeys, user, sent: () => sent };
}

test("a program's key has the right to ask only, and a principal of its own", async () => {
  await withDataDir(async (folder) => {
    const { ask, call, programKeys } = served(folder);
    const codex = programKeys.create("codex").key;
    const zed = programKeys.create("zed").key;
    const { body } = await ask(codex, "GET", "/v1/capstan");
    assert.deepEqual(body.rights, ["ask"]);
    const id = await call(codex);
    assert.equal((await ask(codex, "GET", `/v1/approvals/${id}`)).status, 200);
    assert.equal((await ask(zed, "GET", `/v1/approvals/${id}`)).status, 404);
    assert.deepEqual((await ask(zed, "GET", "/v1/conversations")).body.data, []);
    assert.deepEqual((await ask("", "GET", "/v1/conversations")).body.data, []);
  });
});

test("a running server takes a new key and rejects a revoked one at the next request", async () => {
  await withDataDir(async (folder) => {
    const { ask } = served(folder);
    // Another process changes the same files.
    const command = openProgramKeys({ folder });
    const status = async (key: string) => (await ask(key, "GET", "/v1/capstan")).status;
    const first = command.create("codex").key;
    assert.equal(await status(first), 200);
    const second = command.create("codex");
    assert.deepEqual([await status(first), await status(second.key)], [401, 200]);
    second.restore();
    assert.deepEqual([await status(first), await status(second.key)], [200, 401]);
    assert.equal(command.revoke("codex"), true);
    assert.equal(command.revoke("codex"), false);
    // Local requests without a key are accepted, but requests with a revoked key are rejected.
    assert.deepEqual([await status(first), await status("")], [401, 200]);
  });
});

test("as soon as a program is connected, only users' answers count", async () => {
  await withDataDir(async (folder) => {
    const { ask, programKeys } = served(folder);
    const view = async () => {
      const { approvals_from: from, rights } = (await ask("", "GET", "/v1/capstan")).body;
      return { from, rights };
    };
    const open = { from: "anyone", rights: ["ask", "approve", "admin"] };
    assert.deepEqual(await view(), open);
    programKeys.create("codex");
    assert.deepEqual(await view(), { from: "people", rights: ["ask"] });
    writeFileSync(join(programFolder(folder), "codex.json"), "{");
    assert.deepEqual(await view(), { from: "people", rights: ["ask"] });
    programKeys.revoke("codex");
    assert.deepEqual(await view(), open);
  });
});

test("a connected program cannot approve its own call by any route", async () => {
  await withDataDir(async (folder) => {
    const { app, ask, call, programKeys, user, sent } = served(folder);
    const key = programKeys.create("codex").key;
    const id = await call(key);
    const approval = (await ask(key, "GET", `/v1/approvals/${id}`)).body;
    const response = {
      type: "mcp_approval_response",
      approval_request_id: `mcpr_${id}`,
      approve: true,
    };
    const never = [{ ...toyTools[0], require_approval: "never" }];
    const attempts: readonly (readonly [string, string, object?])[] = [
      ["POST", `/v1/approvals/${id}`, { decision: "allow" }],
      ["POST", `/v1/approvals/${id}`, { decision: "allow", scope: "always" }],
      ["POST", "/v1/responses", { input: [response], previous_response_id: approval.run }],
      ["POST", "/v1/responses", { input: [response], tools: toyTools }],
      ["POST", "/v1/responses", { input: "go", tools: never }],
      ["PUT", "/v1/overrides", { tool: "g.Send", execution: "auto" }],
      ["PUT", "/v1/agents/mine", { groups: [{ group: "g", require_approval: "never" }] }],
      ["POST", "/v1/pairings", {}],
      ["POST", "/v1/sessions", { code: "guess" }],
      [
        "POST",
        `/v1/runs/${approval.run}/calls/${approval.callId}/outcome`,
        { outcome: "run_again" },
      ],
    ];
    // Without its key the program is the anonymous caller, who may not approve either.
    for (const as of [key, ""])
      for (const [method, path, body] of attempts) {
        const { status } = await ask(as, method, path, body);
        assert.ok([403, 404, 400].includes(status), `${method} ${path} as "${as}": ${status}`);
      }
    for (const path of ["/v1/grants", "/v1/overrides"])
      assert.deepEqual((await ask(key, "GET", path)).body.data, []);
    // The settings do not let a client answer for its user.
    const client = await connectMcp(app, { key, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", () => assert.fail("the client was asked"));
    await client.callTool({ name: "Send", arguments: { text: "b" } });
    await client.close();
    assert.equal((await ask(key, "GET", `/v1/approvals/${id}`)).body.status, "pending");
    assert.equal(sent(), 0);
    const allowed = await ask(user, "POST", `/v1/approvals/${id}`, { decision: "allow" });
    assert.deepEqual([allowed.status, allowed.body.status], [200, "allowed"]);
  });
});

test("the user sees the calls of programs and answers them; callers without a session do not", async () => {
  await withDataDir(async (folder) => {
    const { ask, call, programKeys, user, sent } = served(folder);
    const keys = ["codex", "zed"].map((name) => programKeys.create(name).key);
    const ids: string[] = [];
    for (const key of keys) ids.push(await call(key));
    const { data } = (await ask(user, "GET", "/v1/approvals?status=pending")).body;
    assert.deepEqual(
      data.map((each: { id: string }) => each.id),
      ids.toReversed(),
    );
    for (const other of ["", keys[1] ?? ""])
      assert.equal((await ask(other, "GET", `/v1/approvals/${ids[0]}`)).status, 404);
    const titles = async (query = "") =>
      (await ask(user, "GET", `/v1/conversations${query}`)).body.data.map(
        (each: { title: string }) => each.title,
      );
    assert.deepEqual(await titles(), ["Calls of zed over MCP", "Calls of codex over MCP"]);
    const [{ id: own }] = (await ask(user, "GET", "/v1/conversations?limit=1")).body.data;
    assert.deepEqual(await titles(`?limit=1&after=${own}`), ["Calls of codex over MCP"]);
    const { run } = data[1];
    assert.equal((await ask(user, "GET", `/v1/runs/${run}/calls`)).body.data[0].id, data[1].callId);
    assert.equal((await ask(keys[1] ?? "", "GET", `/v1/runs/${run}/calls`)).status, 404);
    const variables = `/v1/conversations/${own}/variables`;
    assert.equal((await ask(user, "GET", variables)).status, 200);
    assert.equal((await ask(keys[0] ?? "", "GET", variables)).status, 404);
    const narrowed = await ask(user, "GET", `/v1/approvals?conversation=${own}`);
    assert.deepEqual(narrowed.body.data, []);

    const always = { decision: "allow", scope: "always", covers: { type: "tool" } };
    const answered = await ask(user, "POST", `/v1/approvals/${ids[0]}`, always);
    assert.equal(answered.status, 200, JSON.stringify(answered.body));
    // The grant is the program's alone.
    const grantsOf = async (key: string) => (await ask(key, "GET", "/v1/grants")).body.data;
    while ((await grantsOf(keys[0] ?? "")).length === 0) await setTimeout(5);
    assert.deepEqual(await grantsOf(keys[1] ?? ""), []);
    const [grant] = await grantsOf(user);
    assert.equal((await ask(user, "DELETE", `/v1/grants/${grant.id}`)).status, 200);
    assert.deepEqual(await grantsOf(keys[0] ?? ""), []);
    await call(keys[1] ?? "", "b");
    assert.ok(sent() <= 1);
  });
});

test("the user gives a program rules of its own, and no other caller can act for it", async () => {
  await withDataDir(async (folder) => {
    const { app, ask, programKeys, user, sent } = served(folder);
    const key = programKeys.create("codex").key;
    const other = programKeys.create("zed").key;
    const put = async (as: string, program: string) => {
      const request = requestTo("PUT", "/v1/overrides", { tool: "g.Send", execution: "auto" });
      request.headers.set("Capstan-Program", program);
      if (as !== "") request.headers.set("Authorization", `Bearer ${as}`);
      return (await app.fetch(request)).status;
    };
    for (const as of [key, other, ""]) assert.equal(await put(as, "codex"), 404);
    assert.equal(await put(user, "cursor"), 404);
    assert.equal(await put(user, "codex"), 200);
    for (const [as, count] of [
      [key, 1],
      [other, 0],
      [user, 0],
    ] as const)
      assert.equal((await ask(as, "GET", "/v1/overrides")).body.data.length, count);
    const client = await connectMcp(app, { key });
    await client.callTool({ name: "Send", arguments: { text: "a" } });
    await client.close();
    while (sent() === 0) await setTimeout(5);
  });
});

test("the user's events have the changes of programs; those of other callers do not", async () => {
  await withDataDir(async (folder) => {
    const { app, ask, call, programKeys, user } = served(folder);
    /** Opens the stream of a caller, and returns its text until a pattern appears. */
    const follow = async (key: string) => {
      const request = requestTo("GET", "/v1/events");
      if (key !== "") request.headers.set("Authorization", `Bearer ${key}`);
      const { body } = await app.fetch(request);
      const reader = (body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      return {
        text: () => text,
        until: async (pattern: RegExp) => {
          while (!pattern.test(text)) text += (await reader.read()).value ?? assert.fail(text);
        },
        close: () => reader.cancel(),
      };
    };
    const [ofUser, anonymous] = [await follow(user), await follow("")];
    for (const stream of [ofUser, anonymous]) await stream.until(/resync/);
    // The program is connected while the streams are open.
    await call(programKeys.create("codex").key);
    await ofUser.until(/event: approval/);
    await ask("", "POST", "/v1/conversations", {});
    await anonymous.until(/event: conversation/);
    assert.doesNotMatch(anonymous.text(), /event: (?:approval|run)/);
    for (const stream of [ofUser, anonymous]) await stream.close();
  });
});

test("the data directory has no usable key, and only its user can read the files", async () => {
  await withDataDir(async (folder) => {
    const { ask, clock, programKeys } = served(folder);
    const { key } = programKeys.create("codex");
    assert.equal(programKeys.list()[0]?.usedAt, undefined);
    clock.set(1_000_000);
    await ask(key, "GET", "/v1/capstan");
    assert.equal(programKeys.list()[0]?.usedAt, clock.now());
    const files = readdirSync(programFolder(folder));
    assert.deepEqual(files.toSorted(), ["codex.json", "codex.used"]);
    assert.equal(statSync(programFolder(folder)).mode & 0o777, 0o700);
    for (const name of files) {
      const file = join(programFolder(folder), name);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.doesNotMatch(readFileSync(file, "utf8"), new RegExp(key));
    }
  });
});
