import { MemoryBudget } from "./memory-budget.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const keys = { ann: "ann-key-0123456789", bob: "bob-key-0123456789", cat: "cat-key-0123456789" };

/** An app with keys, and requests with them. */
function appWith(limits: {
  readonly bytesAtOnce?: number;
  readonly bytesOfOne?: number;
  readonly streamsOfOne?: number;
}) {
  const apiKeys = Object.entries(keys).map(([name, key]) => ({ name, key }));
  const said = "word ".repeat(100_000);
  const { fetch } = createTestApp({
    model: new ScriptedModel(
      Array.from({ length: 10 }, () => said),
      { chunk: 100_000 },
    ),
    apiKeys,
    limits,
  });
  const as = (name: keyof typeof keys, request: Request) => {
    request.headers.set("authorization", `Bearer ${keys[name]}`);
    return fetch(request);
  };
  const post = (name: keyof typeof keys, chars: number) =>
    as(name, requestTo("POST", "/v1/responses", { input: "x".repeat(chars) }));
  /** A request whose body arrives until `end` is called. */
  const slowPost = (name: keyof typeof keys, size: number) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(`{"input":"${"x".repeat(size)}`));
        await promise;
        controller.enqueue(new TextEncoder().encode('"}'));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const init = { method: "POST", headers, body, duplex: "half" };
    const request = new Request("http://127.0.0.1/v1/responses", init);
    return { response: as(name, request), end };
  };
  return { as, post, slowPost, fetch };
}

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { readonly error: { readonly code: string } };
  return [response.status, error.code, Number(response.headers.get("retry-after")) > 0];
}

test("a principal over its budget gets a 429, does not affect others, and gets its share back", async () => {
  const { post, slowPost } = appWith({ bytesOfOne: 1_000_000 });
  const { response, end } = slowPost("ann", 900_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(await errorOf(await post("ann", 400_000)), [
    429,
    "too_many_bytes_at_once",
    true,
  ]);
  assert.equal((await post("bob", 400_000)).status, 200);
  end();
  assert.equal((await response).status, 200);
  await (await response).text();
  assert.equal((await post("ann", 400_000)).status, 200);
});

test("a full server rejects large requests with a 503 and accepts small ones", async () => {
  const { post, slowPost } = appWith({ bytesAtOnce: 1_500_000, bytesOfOne: 1_000_000 });
  const slow = [slowPost("ann", 700_000), slowPost("bob", 700_000)];
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(await errorOf(await post("cat", 400_000)), [503, "server_full", true]);
  assert.equal((await post("cat", 400)).status, 200);
  for (const { end } of slow) end();
  for (const { response } of slow) assert.equal((await response).status, 200);
});

test("requests without a key can only have a short body", async () => {
  const { fetch } = appWith({});
  const pair = (chars: number) =>
    fetch(requestTo("POST", "/v1/sessions", { code: "x".repeat(chars) }));
  assert.equal((await pair(100)).status, 403);
  const response = await pair(5_000);
  const { error } = (await response.json()) as { readonly error: { readonly code: string } };
  assert.deepEqual([response.status, error.code], [413, "body_too_large"]);
});

test("answers use the budget while they are written, and readers of one run share one answer", async () => {
  const { as, post } = appWith({ bytesOfOne: 700_000 });
  const ids: string[] = [];
  for (let n = 0; n < 2; n++)
    ids.push(((await (await post("ann", 10)).json()) as { id: string }).id);
  const read = (id = "") => as("ann", requestTo("GET", `/v1/responses/${id}`));
  const open = [await read(ids[0]), await read(ids[0]), await read(ids[0])];
  assert.deepEqual(
    open.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(await errorOf(await read(ids[1])), [429, "too_many_bytes_at_once", true]);
  await open[0]?.text();
  assert.equal((await read(ids[1])).status, 429);
  await open[1]?.body?.cancel();
  await open[2]?.text();
  const last = await read(ids[1]);
  assert.equal(last.status, 200);
  assert.ok((await last.text()).length > 500_000);
});

test("a principal has a limited number of open streams, and a request above the limit has no effect", async () => {
  const { as, post } = appWith({ streamsOfOne: 2 });
  const { id } = (await (await post("ann", 10)).json()) as { id: string };
  const read = () => as("ann", requestTo("GET", `/v1/responses/${id}?stream=true`));
  const start = () => as("ann", requestTo("POST", "/v1/responses", { input: "x", stream: true }));
  const open = [await read(), await start()];
  for (const more of [await read(), await start()])
    assert.deepEqual(await errorOf(more), [429, "too_many_streams", true]);
  const runs = await as("ann", requestTo("GET", "/v1/runs"));
  assert.equal(((await runs.json()) as { data: readonly unknown[] }).data.length, 2);
  assert.equal((await post("ann", 10)).status, 200, "requests without a stream are answered");
  const bobs = await as("bob", requestTo("POST", "/v1/responses", { input: "x", stream: true }));
  assert.equal(bobs.status, 200);
  await open[0]?.body?.cancel();
  const next = await read();
  assert.equal(next.status, 200);
  await next.text();
  await open[1]?.text();
  const body = { input: "x", stream: true, previous_response_id: "resp_missing" };
  for (let n = 0; n < 5; n++)
    assert.notEqual((await as("ann", requestTo("POST", "/v1/responses", body))).status, 429);
});

test("streams, lists of events, calls and input items take from the budget and give it back", async () => {
  const { as, post } = appWith({ bytesOfOne: 700_000 });
  const { id: conversation } = (await (
    await as("ann", requestTo("POST", "/v1/conversations", {}))
  ).json()) as { id: string };
  const start = await as("ann", requestTo("POST", "/v1/responses", { input: "x", conversation }));
  const { id } = (await start.json()) as { id: string };
  const other = ((await (await post("ann", 10)).json()) as { id: string }).id;
  const paths = [
    `/v1/runs/${id}/events`,
    `/v1/runs/${id}/calls`,
    `/v1/responses/${id}?stream=true`,
    `/v1/responses/${id}/input_items`,
    `/v1/conversations/${conversation}/runs`,
  ];
  const read = (path: string) => as("ann", requestTo("GET", path));
  const large = await read(`/v1/responses/${other}`);
  for (const path of paths.filter((each) => !/calls|items/.test(each))) {
    const open = await Promise.all([read(path), read(path)]);
    assert.deepEqual(
      open.map(({ status }) => status),
      [200, 429],
      path,
    );
    await open[0]?.body?.cancel();
  }
  await large.text();
  const events = await read(paths[4] ?? "");
  const reader = events.body?.getReader();
  await reader?.read();
  await reader?.read();
  assert.equal((await read(`/v1/responses/${other}`)).status, 429, "a listed run uses the budget");
  await reader?.cancel();
  for (const path of paths)
    for (let n = 0; n < 10; n++) {
      const response = await read(path);
      assert.equal(response.status, 200, path);
      await (n % 2 === 0 ? response.text() : response.body?.cancel());
    }
});

test("clients that request a final answer together share one read, and other answers are read in order", async () => {
  const budget = new MemoryBudget({
    bodyBytes: 1_000,
    bytesAtOnce: 1_000_000,
    bytesOfOne: 10_000,
    streamsOfOne: 1,
  });
  let reads = 0;
  let atOnce = 0;
  const read = async () => {
    reads += 1;
    assert.equal(++atOnce, 1);
    await new Promise(setImmediate);
    atOnce -= 1;
    return { text: "x".repeat(3_000) };
  };
  const answer = (id: string, isFinal: boolean) =>
    budget.readAnswer("ann", { id, isFinal, always: false, read });
  const same = await Promise.all(Array.from({ length: 50 }, () => answer("a", true)));
  assert.equal(reads, 1);
  const other = await Promise.allSettled(Array.from({ length: 5 }, () => answer("b", false)));
  assert.deepEqual(
    other.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "rejected", "rejected"],
  );
  for (const { release } of same) release();
  assert.ok((await answer("c", true)).answer.text.length > 0);
});

test("an answer is not read for a client that has disconnected", async () => {
  const budget = new MemoryBudget({ bodyBytes: 1, bytesAtOnce: 1, bytesOfOne: 1, streamsOfOne: 1 });
  const read = () => assert.fail("it is read");
  const options = { id: "a", isFinal: true, always: false, signal: AbortSignal.abort(), read };
  await assert.rejects(budget.readAnswer("ann", options), { name: "AbortError" });
});
