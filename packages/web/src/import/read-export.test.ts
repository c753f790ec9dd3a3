import assert from "node:assert/strict";
import { test } from "node:test";
import { zipSync } from "fflate";
import { openFile } from "./open-file.ts";
import { readExport } from "./read-export.ts";

const message = (role: string, text: unknown, more: object = {}) => ({
  author: { role },
  recipient: "all",
  content: { content_type: "text", parts: [text] },
  ...more,
});
const chatGpt = {
  title: "  Sails\nand ropes ",
  create_time: 1_700_000_000.5,
  current_node: "d",
  mapping: {
    root: { id: "root", message: null, parent: null },
    sys: { message: message("system", "Be nice."), parent: "root" },
    a: { message: message("user", "Question"), parent: "sys" },
    old: { message: message("assistant", "Other branch"), parent: "a" },
    tool: { message: message("assistant", "call()", { recipient: "browser" }), parent: "a" },
    hidden: {
      message: message("user", "profile", {
        metadata: { is_visually_hidden_from_conversation: true },
      }),
      parent: "tool",
    },
    d: {
      message: message("assistant", "", {
        content: { content_type: "multimodal_text", parts: ["Answer", { asset_pointer: "x" }] },
      }),
      parent: "hidden",
    },
  },
};
const pair = [
  { role: "user", text: "Question" },
  { role: "assistant", text: "Answer" },
];

test("the shown branch of a ChatGPT export is read, from JSON and from a ZIP archive", async () => {
  const json = JSON.stringify([chatGpt]);
  const { source, chats, skipped } = readExport(json);
  assert.deepEqual([source, skipped], ["ChatGPT", 0]);
  assert.deepEqual(chats, [
    { title: "Sails and ropes", createdAt: 1_700_000_000_500, messages: pair },
  ]);
  const archive = zipSync({
    "chat.html": new Uint8Array(10),
    "conversations.json": new TextEncoder().encode(json),
  });
  assert.equal(await openFile(new Blob([archive])), json);
});

test("exports of LibreChat are read, as a list with parents and as a tree", () => {
  const user = { messageId: "1", parentMessageId: "0", text: "Question", isCreatedByUser: true };
  const other = { messageId: "2", parentMessageId: "1", text: "Other", isCreatedByUser: false };
  const content = [
    { type: "think", think: "hm" },
    { type: "text", text: { value: "Answer" } },
  ];
  const answer = {
    messageId: "3",
    parentMessageId: "1",
    text: "",
    content,
    isCreatedByUser: false,
  };
  const chat = { conversationId: "c", title: "T", exportAt: "2026-01-02T00:00:00Z" };
  const flat = readExport(JSON.stringify({ ...chat, messages: [user, other, answer] }));
  assert.equal(flat.source, "LibreChat");
  assert.deepEqual(flat.chats[0]?.messages, pair);
  assert.equal(flat.chats[0]?.createdAt, Date.UTC(2026, 0, 2));
  const tree = { ...chat, messages: [{ ...user, children: [other, answer] }] };
  assert.deepEqual(readExport(JSON.stringify(tree)).chats[0]?.messages, pair);
});

test("exports of Open WebUI are read with the shown branch, oldest chat first", () => {
  const messages = {
    a: { id: "a", parentId: null, role: "user", content: "Question" },
    b: { id: "b", parentId: "a", role: "assistant", content: "Other" },
    c: { id: "c", parentId: "a", role: "assistant", content: [{ type: "text", text: "Answer" }] },
  };
  const chat = (title: string, created: number) => ({
    created_at: created,
    chat: { title, history: { messages, currentId: "c" } },
  });
  const { source, chats, skipped } = readExport(
    JSON.stringify([chat("New", 1_700_000_200), chat("Old", 1_700_000_100), { chat: {} }]),
  );
  assert.deepEqual([source, skipped], ["Open WebUI", 1]);
  assert.deepEqual(
    chats.map(({ title }) => title),
    ["Old", "New"],
  );
  assert.deepEqual(chats[0]?.messages, pair);
});

test("hostile and other files are rejected with a reason, and trees with cycles are read", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /not JSON/],
    ["{", /not JSON/],
    ["null", /not an export/],
    ["[1, 2]", /not an export/],
    ['{"object": "conversation.export"}', /not an export/],
    [JSON.stringify([{ mapping: {} }]), /no chats with messages/],
    [JSON.stringify(Array.from({ length: 5_001 }, () => chatGpt)), /5,001 chats/],
  ];
  for (const [json, reason] of cases)
    assert.throws(() => readExport(json), reason, json.slice(0, 40));
  const { sys, a } = chatGpt.mapping;
  const circle = {
    ...chatGpt,
    current_node: "a",
    mapping: { a: { ...a, parent: "b" }, b: { ...sys, parent: "a" } },
  };
  assert.deepEqual(readExport(JSON.stringify([circle])).chats[0]?.messages, [pair[0]]);
  const named = { ...chatGpt, current_node: "constructor" };
  assert.throws(() => readExport(JSON.stringify([named])), /no chats with messages/);
  const long = {
    ...chatGpt,
    current_node: "a",
    mapping: { a: { message: message("user", "x".repeat(500_001)) } },
  };
  assert.throws(() => readExport(JSON.stringify([long])), /no chats with messages/);
  const other = zipSync({ "notes.txt": new Uint8Array(3) });
  await assert.rejects(openFile(new Blob([other])), /no conversations\.json/);
  await assert.rejects(openFile(new Blob(["PK broken"])), /corrupt/);
});
