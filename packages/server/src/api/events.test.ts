import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { UserEvent } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { asking } from "../testing/run-fixtures.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";

/** Opens a stream of events, and reads them one by one. */
async function openEvents(
  app: Pick<ReturnType<typeof createTestApp>, "fetch">,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const request = requestTo("GET", `/v1/events${query}`);
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  const response = await app.fetch(request);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  return {
    async next(): Promise<UserEvent> {
      const { value = "" } = await reader.read();
      const [, id, type, data = ""] = /^id: (.*)\nevent: (.*)\ndata: (.*)\n\n$/.exec(value) ?? [];
      const event = JSON.parse(data) as UserEvent;
      assert.deepEqual([event.cursor, event.type], [id, type]);
      return event;
    },
    leave: () => reader.cancel(),
  };
}

/** An app whose model calls a tool that needs approval, once. */
function askingApp(more: Partial<Parameters<typeof createTestApp>[0]> = {}) {
  const model = new ScriptedModel([{ calls: [{ name: "Ask", args: {} }] }, "Done."]);
  return createTestApp({ model, tools: [asking("Ask", () => "asked")], ...more });
}

const inlineTurn = {
  model: "test/scripted",
  input: "Go on.",
  tools: toyTools,
  background: true,
  approvals: "inline",
};

test("a stream reports a chat, its run, and an approval request until its answer", async () => {
  const app = askingApp();
  const events = await openEvents(app);
  const nextOf = async (type: UserEvent["type"]) => {
    for (;;) {
      const { cursor: _cursor, ...event } = await events.next();
      if (event.type === type) return event;
    }
  };
  assert.equal((await events.next()).type, "resync");
  const { body: made } = await app.call("POST", "/v1/conversations", { title: "Chat" });
  const conversation = made.id;
  assert.deepEqual(await nextOf("conversation.created"), {
    type: "conversation.created",
    conversation,
  });
  const turn = { ...inlineTurn, conversation };
  const { body: response } = await app.call("POST", "/v1/responses", turn);
  const run = response.id;
  const ofRun = { run, conversation };
  assert.deepEqual(await nextOf("run.created"), {
    type: "run.created",
    ...ofRun,
    status: "in_progress",
  });
  const asked = await nextOf("approval.requested");
  const { body: pending } = await app.call("GET", "/v1/approvals?status=pending");
  const approval = pending.data[0]?.id ?? "";
  assert.deepEqual(asked, { type: "approval.requested", approval, ...ofRun });
  await app.call("POST", `/v1/approvals/${approval}`, { decision: "allow" });
  assert.deepEqual(await nextOf("approval.answered"), {
    type: "approval.answered",
    approval,
    ...ofRun,
  });
  assert.deepEqual(await nextOf("run.ended"), { type: "run.ended", ...ofRun, status: "completed" });
  await app.call("DELETE", `/v1/conversations/${conversation}`);
  assert.deepEqual(await nextOf("conversation.deleted"), {
    type: "conversation.deleted",
    conversation,
  });
  await events.leave();
});

test("an approval request of an unstored run is reported, too", async () => {
  const app = askingApp();
  const events = await openEvents(app);
  const turn = { ...inlineTurn, background: false, store: false, approvals: "inline" };
  const abort = new AbortController();
  const response = app.fetch(
    requestTo("POST", "/v1/responses", { ...turn, stream: true }, abort.signal),
  );
  for (let type = ""; type !== "approval.requested";) ({ type } = await events.next());
  abort.abort();
  await (await response).body?.cancel().catch(() => {});
  await events.leave();
});

test("a client continues after its last event, by header or by parameter", async () => {
  const app = askingApp();
  const first = await openEvents(app);
  const { cursor } = await first.next();
  await first.leave();
  await app.call("POST", "/v1/conversations", { title: "Chat" });
  for (const more of [
    { headers: { "Last-Event-ID": cursor } },
    { query: `?starting_after=${cursor}` },
    { headers: { "Last-Event-ID": cursor }, query: "?starting_after=older" },
  ]) {
    const again = await openEvents(app, more);
    assert.equal((await again.next()).type, "conversation.created");
    await again.leave();
  }
});

test("a user gets only their own events, and no key gets none", async () => {
  const apiKeys = ["ann", "bob"].map((name) => ({ name, key: `key of ${name}` }));
  const app = askingApp({ apiKeys });
  const as = (name: string) => ({ Authorization: `Bearer key of ${name}` });
  const bob = await openEvents(app, { headers: as("bob") });
  await bob.next();
  const make = async (name: string, title: string) => {
    const request = requestTo("POST", "/v1/conversations", { title });
    request.headers.set("Authorization", as(name).Authorization);
    return ((await (await app.fetch(request)).json()) as { id: string }).id;
  };
  await make("ann", "Ann's");
  const id = await make("bob", "Bob's");
  const event = await bob.next();
  assert.equal("conversation" in event && event.conversation, id);
  await bob.leave();
  const { status } = await app.fetch(requestTo("GET", "/v1/events"));
  assert.equal(status, 401);
});

test("1,000 open streams need less than 40 kB each, and end with their clients", async () => {
  const app = askingApp({ limits: { streamsOfOne: 1_000 } });
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const used = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const streams = [];
  for (let n = 0; n < 1_000; n++) {
    const stream = await openEvents(app);
    await stream.next();
    streams.push(stream);
  }
  // The client's side of each stream included.
  const each = (used() - before) / 1_000;
  assert.ok(each < 40_000, `${each} bytes`);
  const { status } = await app.fetch(requestTo("GET", "/v1/events"));
  assert.equal(status, 429);
  await app.call("POST", "/v1/conversations", { title: "Chat" });
  for (const stream of streams) {
    assert.equal((await stream.next()).type, "conversation.created");
    await stream.leave();
  }
  const again = await openEvents(app);
  await again.leave();
});
