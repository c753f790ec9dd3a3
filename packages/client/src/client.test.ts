import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./http/send.ts";
import { createClient } from "./client.ts";

interface Asked {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
}

function server(...answers: readonly (Response | Error)[]) {
  const asked: Asked[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    const answer = answers[asked.length]!;
    const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
    asked.push({
      url: url as string,
      method: init?.method,
      headers: new Headers(init?.headers),
      body,
    });
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return {
    asked,
    client: createClient({ url: "http://host:1/", key: "k", fetch, keyHint: "Set THE_KEY." }),
  };
}

test("starts a turn in the background with inline approvals and the tool groups", async () => {
  const { asked, client } = server(Response.json({ id: "resp_1" }));
  const run = { conversation: "c", model: "m", text: "hi", groups: ["files"] };
  assert.deepEqual(await client.startRun(run), { id: "resp_1" });
  assert.equal(asked[0]?.url, "http://host:1/v1/responses");
  assert.equal(asked[0].headers.get("authorization"), "Bearer k");
  assert.equal(asked[0].headers.get("content-type"), "application/json");
  assert.deepEqual(asked[0].body, {
    model: "m",
    input: "hi",
    conversation: "c",
    background: true,
    approvals: "inline",
    tools: [{ type: "mcp", server_label: "files", server_url: "capstan://groups/files" }],
  });
});

test("a message has its files as parts, and can follow an earlier response", async () => {
  const { asked, client } = server(Response.json({ id: "resp_1" }));
  const files = [
    { id: "file-1", isImage: true },
    { id: "file-2", isImage: false },
  ];
  const run = { conversation: "c", model: "m", text: "hi", groups: [], files, after: null };
  await client.startRun(run);
  const [{ body } = assert.fail("nothing was sent")] = asked;
  const { input, conversation } = body as { readonly [field: string]: unknown };
  assert.deepEqual(conversation, { id: "c", after: null });
  const content = [
    { type: "input_text", text: "hi" },
    { type: "input_image", file_id: "file-1" },
    { type: "input_file", file_id: "file-2" },
  ];
  assert.deepEqual(input, [{ type: "message", role: "user", content }]);
});

test("reads all pages of a list", async () => {
  const page = (data: readonly string[], has_more: boolean) =>
    Response.json({ object: "list", data, has_more, first_id: null, last_id: data.at(-1) });
  const { asked, client } = server(page(["a", "b"], true), page(["c"], false));
  assert.deepEqual(await client.variables("x y"), ["a", "b", "c"]);
  assert.deepEqual(
    asked.map(({ url }) => url),
    [
      "http://host:1/v1/conversations/x%20y/variables",
      "http://host:1/v1/conversations/x%20y/variables?after=b",
    ],
  );
});

test("an error has the server's message, or the status if the server sent none", async () => {
  const body = { error: { message: "No such run.", type: "t", param: "", code: "not_found" } };
  const { client } = server(
    Response.json(body, { status: 404 }),
    new Response("<html>", { status: 502 }),
  );
  await assert.rejects(client.cancelRun("r"), {
    status: 404,
    code: "not_found",
    message: "No such run.",
  });
  await assert.rejects(client.info(), {
    status: 502,
    message: "The server answered with status 502.",
  });
});

test("errors for a missing key and an unreachable server say what to do", async () => {
  const body = {
    error: { message: "A key is needed.", type: "t", param: "", code: "invalid_api_key" },
  };
  const { client } = server(
    Response.json(body, { status: 401 }),
    new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
  );
  await assert.rejects(client.info(), /A key is needed\. Set THE_KEY\./);
  await assert.rejects(client.info(), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.message, "No answer from http://host:1: connect ECONNREFUSED 127.0.0.1:1");
    return error.status === 0;
  });
});

test("reads the events of a run", async () => {
  const event = { seq: 3, type: "run.heartbeat", at: 1 };
  const { asked, client } = server(new Response(`id: 3\ndata: ${JSON.stringify(event)}\n\n`));
  const signal = new AbortController().signal;
  assert.deepEqual(await Array.fromAsync(client.events("r", 2, signal)), [event]);
  assert.equal(asked[0]?.url, "http://host:1/v1/runs/r/events?starting_after=2");
});
