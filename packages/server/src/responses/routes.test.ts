import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { asking, runIn } from "../testing/run-fixtures.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";

/** A model that answers when the test releases it. */
function held() {
  const hold = Promise.withResolvers<string>();
  return { hold, model: new ScriptedModel([() => hold.promise]) };
}

/** A store that reports each created run. */
function watched() {
  const made = Promise.withResolvers<string>();
  const store = openMemoryStore();
  const watching: Store = {
    ...store,
    write: (writes) => {
      const [first] = writes;
      if (first?.type === "create-run") made.resolve(first.run.id);
      return store.write(writes);
    },
  };
  return { store: watching, made: made.promise };
}

for (const stream of [false, true]) {
  test(`a client that disconnects before its answer stops the run (stream ${stream})`, async () => {
    const { model } = held();
    const { store, made } = watched();
    const { fetch } = createTestApp({ model, store });
    const left = new AbortController();
    const request = requestTo("POST", "/v1/responses", { input: "go", stream }, left.signal);
    const answer = fetch(request).catch(() => {});
    void made.then(() => left.abort());
    await runIn(store, await made, "cancelled");
    await answer;
  });
}

/** A store with the latency of a disk. */
function onDisk(store: Store): Store {
  return {
    ...store,
    write: async (writes) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return store.write(writes);
    },
  };
}

test("any number of readers cause only one heartbeat per interval", async () => {
  const { model, hold } = held();
  const { fetch, call, services } = createTestApp({
    model,
    limits: { heartbeatMs: 40 },
    store: onDisk(openMemoryStore()),
  });
  const begun = Date.now();
  const { body } = await call("POST", "/v1/responses", { input: "go", background: true });
  const { store } = services.runs;
  const watching = Array.from({ length: 8 }, async () => {
    const response = await fetch(requestTo("GET", `/v1/responses/${body.id}?stream=true`));
    return response.text();
  });
  const beatsOf = async () =>
    ((await store.readEvents({ owner, runId: body.id })) ?? []).filter(
      ({ type }) => type === "run.heartbeat",
    ).length;
  while ((await beatsOf()) < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  hold.resolve("done");
  await Promise.all(watching);
  await runIn(store, body.id, "completed");
  const beats = await beatsOf();
  assert.ok(beats <= (Date.now() - begun) / 40, `${beats} beats`);
});

test("a streamed response that waits for a user sends its snapshot repeatedly", async () => {
  const model = new ScriptedModel([{ text: "I ask.", calls: [{ name: "Ask" }] }]);
  const { fetch, call, services } = createTestApp({
    model,
    tools: [asking("Ask", () => "made")],
    limits: { heartbeatMs: 5 },
  });
  const body = { input: "go", tools: toyTools, approvals: "inline", stream: true };
  const response = await fetch(requestTo("POST", "/v1/responses", body));
  const decoder = new TextDecoder();
  let text = "";
  let shown: readonly string[] = [];
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    shown = [...text.matchAll(/^event: response\.in_progress\ndata: (.*)$/gm)].map(
      ([, data = ""]) => data,
    );
    if (shown.length === 4) break;
  }
  const last = JSON.parse(shown.at(-1) ?? "") as {
    readonly response: {
      readonly id: string;
      readonly output: readonly { readonly type: string }[];
    };
  };
  assert.ok(
    last.response.output.some(({ type }) => type === "message"),
    "with its input",
  );
  const { id } = last.response;
  assert.equal((await services.runs.store.getRun({ owner, id }))?.status, "requires_action");
  await call("POST", `/v1/runs/${id}/cancel`);
});

test("a queued streamed response sends its snapshot repeatedly and reads the same later", async () => {
  const first = Promise.withResolvers<string>();
  const model = new ScriptedModel([() => first.promise, "my turn"]);
  const limits = { heartbeatMs: 5, runsAtOnce: 1 };
  const { fetch, call } = createTestApp({ model, limits });
  await call("POST", "/v1/responses", { input: "go", background: true });
  const body = { input: "and go", stream: true };
  const response = await fetch(requestTo("POST", "/v1/responses", body));
  const decoder = new TextDecoder();
  const shown = () => text.split("event: response.in_progress\n").length - 1;
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (shown() === 3) first.resolve("done");
  }
  assert.match(text, /event: response\.completed\n/);
  const [, id = ""] = /"id":"(resp_\w+)"/.exec(text) ?? [];
  const again = await fetch(requestTo("GET", `/v1/responses/${id}?stream=true`));
  assert.equal(await again.text(), text.replaceAll(": waiting\n\n", ""));
});

test("a deletion that the store rejects returns its error", async () => {
  const store = openMemoryStore();
  const refusing: Store = {
    ...store,
    write: (writes) =>
      writes[0]?.type.startsWith("delete-") === true
        ? (Promise.resolve([{ status: "refused", reason: "It has not ended." }]) as never)
        : store.write(writes),
  };
  const { call } = createTestApp({ model: new ScriptedModel(["hi"]), store: refusing });
  const { body: conversation } = await call("POST", "/v1/conversations", {});
  const { body } = await call("POST", "/v1/responses", {
    input: "go",
    conversation: conversation.id,
  });
  for (const path of [`/v1/responses/${body.id}`, `/v1/conversations/${conversation.id}`]) {
    const answer = await call("DELETE", path);
    assert.equal(answer.status, 409);
    assert.equal(answer.body.error?.message, "It has not ended.");
  }
});
