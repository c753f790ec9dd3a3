import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../../testing/app-fixtures.ts";
import { asking } from "../../testing/run-fixtures.ts";
import { createProgramCalls } from "./program-calls.ts";
import { createProgramConversations } from "./program-conversation.ts";

const call = { owner: "local", toolId: "g.Send", args: { text: "a" }, readOnly: false } as const;

function createCalls() {
  const tools = [asking("Send", () => "sent")];
  const { services } = createTestApp({ model: new ScriptedModel([]), tools });
  const { runs } = services;
  const conversations = createProgramConversations(runs);
  return createProgramCalls({ runs, conversations, graceMs: 1, clock: systemClock, log: () => {} });
}

test("a repeat gets the call of a request whose client left before the call was stored", async () => {
  const calls = createCalls();
  const left = new AbortController();
  const first = calls.start({ ...call, disconnected: left.signal });
  left.abort();
  const repeat = calls.start(call);
  const { run, release } = await first;
  release();
  const { run: ofRepeat, isRepeat } = await repeat;
  assert.deepEqual([ofRepeat.id, isRepeat], [run.id, true]);
  calls.close();
});

test("a request whose client has left gets the call of its repeat, if that arrived first", async () => {
  const calls = createCalls();
  const { run } = await calls.start(call);
  const late = await calls.start({ ...call, disconnected: AbortSignal.abort() });
  assert.deepEqual([late.run.id, late.isRepeat], [run.id, true]);
  // The repeat still follows the call, so another open request is another call.
  late.release();
  assert.notEqual((await calls.start(call)).run.id, run.id);
  calls.close();
});

test("the key of a delivered call is removed together with others, but not the key of an equal call that has started", async () => {
  const calls = createCalls();
  const start = async (text: string) => {
    const { run, release } = await calls.start({ ...call, args: { text } });
    release();
    return run;
  };
  const first = [await start("a"), await start("b")];
  for (const run of first) calls.delivered(run);
  const second = await start("a");
  assert.notEqual(second.id, first[0]?.id);
  assert.equal((await start("a")).id, second.id);
  // The key was removed when the second call was stored.
  assert.notEqual((await start("b")).id, first[1]?.id);
  calls.close();
});
