import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@capstan/core";
import { decodeRunRequest, encodeRunRequest, type StoredRequest } from "./run-request.ts";

const request: StoredRequest = {
  version: 1,
  instructions: "Be brief.",
  servers: [
    { label: "files", group: "files", allowedTools: { toolNames: ["ViewFile"], readOnly: true } },
    { label: "web", group: "web", requireApproval: { never: {} } },
  ],
  clientTools: [{ type: "function", function: { name: "Open", parameters: { type: "object" } } }],
  checkedTools: ["Open"],
  settings: { temperature: 1, providerOptions: { openai: { store: false } } },
  maxToolCalls: 3,
  maxRounds: 2,
  approvals: "inline",
  toolOutputs: "deferred",
  history: { keepTurns: 2 },
  context: [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    { role: "assistant", content: "", tool_calls: [] },
  ],
  outputs: [{ callId: "c", output: "done" }],
  answers: [{ approvalId: "a", decision: { decision: "allow", scope: "session" } }],
  continuesParent: false,
  adopts: true,
  wire: { echo: { a: [1, null] } },
  call: { toolId: "files.ViewFile", arguments: "{}" },
};

const stored = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonValue;

test("reads a stored request unchanged", () => {
  assert.deepEqual(decodeRunRequest("r", stored(encodeRunRequest(request))), request);
});

test("a request without a version is of version 1, and absent fields have their defaults", () => {
  const { version: _version, ...unversioned } = request;
  assert.deepEqual(decodeRunRequest("r", stored(unversioned)), request);
  const { servers, settings, approvals } = request;
  assert.deepEqual(decodeRunRequest("r", stored({ servers, settings, approvals })), {
    version: 1,
    instructions: null,
    servers,
    clientTools: [],
    settings,
    maxToolCalls: null,
    maxRounds: null,
    approvals,
    toolOutputs: "deferred",
    history: "log",
    context: [],
    outputs: [],
    answers: [],
    continuesParent: false,
    adopts: false,
    wire: null,
  });
});

// Contract: durability-26
test("rejects a request with an invalid field, and names the field in the error", () => {
  const wrong: readonly (readonly [change: object, field: RegExp])[] = [
    [{ version: 2 }, /`version`/],
    [{ servers: "files" }, /`servers`/],
    [{ servers: [{ label: "x" }] }, /`servers\.0\.group`/],
    [{ approvals: "maybe" }, /`approvals`/],
    [{ context: [{ role: "poet", content: "" }] }, /`context\.0`/],
    [{ call: { toolId: 1, arguments: "" } }, /`call\.toolId`/],
  ];
  for (const [change, field] of wrong)
    assert.throws(() => decodeRunRequest("r", stored({ ...request, ...change })), {
      code: "request_unreadable",
      message: field,
    });
  for (const value of [null, "", []])
    assert.throws(() => decodeRunRequest("r", value), { code: "request_unreadable" });
});
