import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, ids, sampleNotes } from "../testing/sample-notes.ts";

test("a wrong token is an error that names the setting and not the token", async () => {
  await using notes = await sampleNotes({ token: "wrong-secret-token" });
  const error = await notes.fail("listNotebooks");
  assert.equal(error.code, "unauthorized");
  assert.match(error.message, /siyuan\.token/);
  assert.doesNotMatch(JSON.stringify(error), /wrong-secret-token/);
});

test("a kernel that repeats the token in its message does not reveal it", async () => {
  await using notes = await sampleNotes();
  const { token } = notes.kernel.mode;
  notes.kernel.mode.answer = () => ({
    text: JSON.stringify({ code: -1, msg: `bad ${token}`, data: null }),
  });
  const { message } = await notes.fail("listNotebooks");
  assert.match(message, /bad \[token\]/);
});

test("the error of a kernel with a lock screen or on another host has the reason", async () => {
  await using notes = await sampleNotes();
  for (const msg of [
    "Auth failed [session]",
    "Auth failed: for security reasons, please set [Lock screen password]",
  ]) {
    notes.kernel.mode.answer = () => ({ status: 401, text: JSON.stringify({ code: -1, msg }) });
    const error = await notes.fail("listNotebooks");
    assert.equal(error.code, "unauthorized");
    assert.ok(error.message.includes(msg));
  }
});

test("each mode of the kernel has its own error", async () => {
  await using notes = await sampleNotes();
  const { mode } = notes.kernel;
  mode.access = "publish";
  assert.match((await notes.fail("querySQL", { sql: "SELECT 1" })).message, /6806/);
  mode.access = "read-only";
  const diff = `@@${idOf("last000")}@@ REPLACE\nnew`;
  assert.equal((await notes.fail("applyBlockDiff", { diff })).code, "read_only");
  mode.access = "admin";
  mode.indexing = true;
  const indexing = await notes.fail("getBlockInfo", { ids: [ids.plan] });
  assert.deepEqual([indexing.code, indexing.retryable], ["indexing", true]);
});

test("a success without data is an error", async () => {
  await using notes = await sampleNotes();
  for (const text of [
    '{"code":0,"msg":"","data":null}',
    "<html>",
    "[]",
    '{"code":0,"data":{"notebooks":3}}',
  ]) {
    notes.kernel.mode.answer = () => ({ text });
    assert.equal((await notes.fail("listNotebooks")).code, "unexpected_reply");
  }
});

test("other statuses, redirects and an unreachable kernel are errors with advice", async () => {
  await using notes = await sampleNotes();
  notes.kernel.mode.answer = () => ({ status: 502, text: "bad gateway" });
  const gateway = await notes.fail("listNotebooks");
  assert.deepEqual([gateway.code, gateway.retryable], ["http_error", true]);
  notes.kernel.mode.answer = () => ({ status: 302, text: "" });
  assert.equal((await notes.fail("listNotebooks")).code, "http_error");
  await using off = await sampleNotes({ url: "http://127.0.0.1:1" });
  assert.match((await off.fail("listNotebooks")).message, /127\.0\.0\.1:1.*start SiYuan/);
});

test("an answer that is too large, too slow or cancelled ends the call", async () => {
  await using notes = await sampleNotes({ timeoutMs: 150 });
  notes.kernel.mode.answer = () => ({ text: "x".repeat(33 * 1024 * 1024) });
  const large = await notes.fail("listNotebooks");
  assert.ok(["too_large", "timed_out"].includes(large.code));
  await assert.rejects(
    notes.run("listNotebooks", {}, { signal: AbortSignal.abort(new Error("stopped")) }),
    /stopped/,
  );
});

test("a rule can deny the kernel's host", async () => {
  await using notes = await sampleNotes();
  const denied = () => ({ paths: [], hosts: [{ host: "127.0.0.1" }] });
  const error = await notes.fail("listNotebooks", {}, { denied });
  assert.equal(error.code, "denied_host");
});
