import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { createTestApp, requestTo } from "../../testing/app-fixtures.ts";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";
import { defaultServerLimits } from "../request/run-limits.ts";

const longText = "word ".repeat(60_000);
const limits = { ...defaultServerLimits, bytesOfOne: 1_000_000 };

test("runs of a user read their histories only when these fit together, and a cancelled one ends", async () => {
  await withMemoryStore(async (store) => {
    const { promise: pause, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const model = new ScriptedModel([
      longText,
      async () => {
        isAsked();
        await pause;
        return "second";
      },
      "third",
    ]);
    const runs = createRuns({ store, model, limits });
    const first = await begin(runs, requestOf("go"));
    await runIn(store, first.id, "completed");
    const bytes = await store.historyBytes({ owner, runId: first.id, limit: Infinity });
    assert.ok(bytes > limits.bytesOfOne / 2 && bytes < limits.bytesOfOne, `${bytes}`);

    const more = () => begin(runs, requestOf("more", { parentId: first.id }));
    const second = await more();
    await asked;
    const [third, fourth] = [await more(), await more()];
    await runs.cancel(fourth);
    await runIn(store, fourth.id, "cancelled");
    assert.equal(model.requests.length, 2);
    goOn();
    for (const { id } of [second, third]) await runIn(store, id, "completed");
    assert.equal(model.requests.length, 3);
  });
});

test("a stopping server hands back the runs that wait for memory", async () => {
  await withMemoryStore(async (store) => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const model = new ScriptedModel([
      longText,
      async () => {
        isAsked();
        return new Promise(() => {});
      },
    ]);
    const runs = createRuns({ store, model, limits });
    const first = await begin(runs, requestOf("go"));
    await runIn(store, first.id, "completed");
    const more = () => begin(runs, requestOf("more", { parentId: first.id }));
    const second = await more();
    await asked;
    const third = await more();
    await runs.close(0);
    for (const { id } of [second, third]) await runIn(store, id, "queued");

    const next = createRuns({ store, model: new ScriptedModel(["a", "b"]), limits });
    await next.recover(await next.listUnfinished());
    for (const { id } of [second, third]) await runIn(store, id, "completed");
    await next.close(0);
  });
});

test("a request that continues a history over the limit is rejected and stores nothing", async () => {
  const model = new ScriptedModel([longText]);
  const { fetch } = createTestApp({ model, limits: { bytesOfOne: 500_000 } });
  const first = await fetch(requestTo("POST", "/v1/responses", { input: "go" }));
  const { id } = (await first.json()) as { readonly id: string };
  const body = { input: "more", previous_response_id: id };
  for (const path of ["/v1/responses", "/v1/responses/input_tokens", "/v1/responses/compact"]) {
    const response = await fetch(requestTo("POST", path, { ...body, model: model.id }));
    const { error } = (await response.json()) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    assert.deepEqual([path, response.status, error.code], [path, 413, "history_too_large"]);
    assert.match(error.message, /^The history of this conversation has \d+ bytes\. .*bytesOfOne/);
  }
  assert.equal(model.requests.length, 1);
  const runs = await fetch(requestTo("GET", "/v1/runs"));
  const { data } = (await runs.json()) as { readonly data: readonly unknown[] };
  assert.equal(data.length, 1);
});

test("images and files do not count toward the limit of a history, and long inputs do", async () => {
  const limit = 200_000;
  const { fetch } = createTestApp({
    model: new ScriptedModel(["a", "b", "c", "d"]),
    limits: { bytesOfOne: limit },
  });
  const post = async (body: object) =>
    fetch(requestTo("POST", "/v1/responses", { model: "test/scripted", ...body }));
  const startWith = async (content: object) => {
    const response = await post({ input: [{ role: "user", content: [content] }] });
    return ((await response.json()) as { readonly id: string }).id;
  };
  const png = Buffer.alloc(600_000, 7).toString("base64").slice(0, 400_000);
  const image = await startWith({
    type: "input_image",
    image_url: `data:image/png;base64,iVBORw0KGgo${png}A`,
  });
  const text = await startWith({ type: "input_text", text: "x".repeat(250_000) });
  const more = (id: string) => post({ input: "more", previous_response_id: id });
  assert.equal((await more(image)).status, 200);
  assert.equal((await more(text)).status, 413);
});
