import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationMatches } from "@capstan/contract";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

async function serve(steps: readonly ScriptedStep[]) {
  const app = createTestApp({
    model: new ScriptedModel(steps),
    apiKeys: [
      { key: "ann-key-000000000000", name: "ann" },
      { key: "ben-key-000000000000", name: "ben" },
    ],
  });
  const send = async (method: string, path: string, body?: object, as = "ann") => {
    const request = requestTo(method, path, body);
    request.headers.set("authorization", `Bearer ${as}-key-000000000000`);
    const response = await app.fetch(request);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const chat = async (title: string, ...messages: readonly string[]) => {
    const { body } = await send("POST", "/v1/conversations", { title });
    const id = String(body["id"]);
    for (const input of messages)
      await send("POST", "/v1/responses", { model: "m", conversation: id, input });
    return id;
  };
  const search = async (query: string, as = "ann") => {
    const path = `/v1/conversations/search?query=${encodeURIComponent(query)}`;
    const { body } = await send("GET", path, undefined, as);
    return body as unknown as ConversationMatches;
  };
  const found = async (query: string, as?: string) =>
    (await search(query, as)).data.map(({ conversation, found_in }) => [
      conversation.title,
      found_in,
    ]);
  return { send, chat, search, found };
}

test("finds conversations by their titles, questions and answers", async () => {
  const { chat, search, found } = await serve(["Lisbon in May.", "No idea.", "Try the harbor."]);
  await chat("Travel", "Where should we go by ship?");
  await chat("Ship names", "Who named it?");
  const cooking = await chat("Cooking", "Where do I buy fish for a stew?");
  assert.deepEqual(await found("ship "), [
    ["Ship names", "title"],
    ["Travel", "user"],
  ]);
  assert.deepEqual(await found("harb"), [["Cooking", "assistant"]]);
  assert.deepEqual(await found("harb "), []);
  assert.deepEqual(await found("where fish"), [["Cooking", "user"]]);
  assert.deepEqual(await found("where lisbon"), [["Travel", "user"]]);
  const { data, is_complete: isComplete } = await search("fish");
  assert.equal(isComplete, true);
  assert.deepEqual(
    data.map(({ conversation, text, matches }) => [conversation.id, text, matches]),
    [[cooking, "Where do I buy fish for a stew?", [[15, 19]]]],
  );
});

test("finds a chat's newest message with the words, and no chat of another user", async () => {
  const { chat, send, search, found } = await serve(["One.", "Two.", "Three."]);
  const id = await chat("Boats", "an anchor", "another anchor");
  const [match] = (await search("anchor")).data;
  assert.equal(match?.text, "another anchor");
  assert.deepEqual(await found("anchor", "ben"), []);
  await send("POST", "/v1/responses", { model: "m", conversation: id, input: "no such word" });
  assert.equal((await search("anchor")).data.length, 1);
  await send("DELETE", `/v1/conversations/${id}`);
  assert.deepEqual(await found("anchor"), []);
});

test("a search without words, or with too many, is rejected", async () => {
  const { send, found } = await serve([]);
  for (const query of ["", "query=", "query=%20", `query=${"a".repeat(501)}`, "query=a&limit=0"])
    assert.equal((await send("GET", `/v1/conversations/search?${query}`)).status, 400, query);
  assert.deepEqual(await found(`"' OR * NEAR( -:`), []);
});

test("conversations are listed by their state", async () => {
  const { chat, send } = await serve([]);
  const id = await chat("Pinned");
  await chat("Open");
  const { body } = await send("POST", `/v1/conversations/${id}`, { state: "pinned" });
  assert.equal(body["state"], "pinned");
  const titles = async (query: string) => {
    const { body: page } = await send("GET", `/v1/conversations${query}`);
    return (page["data"] as { title: string }[]).map(({ title }) => title).toSorted();
  };
  assert.deepEqual(await titles(""), ["Open", "Pinned"]);
  assert.deepEqual(await titles("?state=pinned"), ["Pinned"]);
  assert.deepEqual(await titles("?state=open"), ["Open"]);
  assert.equal((await send("GET", "/v1/conversations?state=gone")).status, 400);
  assert.equal((await send("POST", `/v1/conversations/${id}`, { state: "gone" })).status, 400);
});
