import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationView } from "@capstan/contract";
import { batchesOf, importChats, importKey, undoImport } from "./import-chats.ts";

/** A fake server that stores conversations, and can fail at a given request. */
function serverOf({ failsAt = Infinity } = {}) {
  const stored = new Map<string, { metadata: { readonly [key: string]: string }; items: number }>();
  let requests = 0;
  const count = () => {
    requests += 1;
    if (requests === failsAt) throw new Error("The disk is full.");
  };
  const api: Parameters<typeof importChats>[0] = {
    async createConversation({ metadata = {} } = {}) {
      count();
      const id = `conv_${requests}`;
      stored.set(id, { metadata, items: 0 });
      return { id } as ConversationView;
    },
    async addMessages(id, items) {
      count();
      const chat = stored.get(id);
      if (chat !== undefined) chat.items += items.length;
    },
    deleteConversation: async (id) => stored.delete(id),
    conversations: async () => ({
      object: "list",
      data: [...stored].map(
        ([id, { metadata }]) =>
          ({ object: "conversation", id, metadata }) as unknown as ConversationView,
      ),
      has_more: false,
      first_id: null,
      last_id: null,
    }),
  };
  return { api, stored };
}

const chats = [3, 45, 1].map((count, index) => ({
  title: `Chat ${index}`,
  createdAt: null,
  messages: Array.from({ length: count }, () => ({ role: "user" as const, text: "Hello" })),
}));
const options = {
  id: "one",
  source: "ChatGPT",
  chats,
  signal: new AbortController().signal,
} as const;

test("chats are imported in order with their messages, and an import can be undone", async () => {
  const { api, stored } = serverOf();
  const progress: number[] = [];
  await importChats(api, { ...options, onProgress: (done) => progress.push(done) });
  assert.deepEqual(progress, [1, 2, 3]);
  assert.deepEqual(
    [...stored.values()].map(({ items }) => items),
    [3, 45, 1],
  );
  stored.set("mine", { metadata: {}, items: 1 });
  stored.set("other", { metadata: { [importKey]: "two" }, items: 1 });
  assert.equal(await undoImport(api, "one"), 3);
  assert.deepEqual([...stored.keys()], ["mine", "other"]);
});

test("an import that fails or is stopped leaves no conversations", async () => {
  for (let failsAt = 1; failsAt <= 8; failsAt++) {
    const { api, stored } = serverOf({ failsAt });
    await assert.rejects(importChats(api, { ...options, onProgress: () => {} }), /disk is full/);
    assert.equal(stored.size, 0, `request ${failsAt}`);
  }
  const { api, stored } = serverOf();
  const stop = new AbortController();
  const onProgress = (done: number) => done === 2 && stop.abort();
  await assert.rejects(importChats(api, { ...options, signal: stop.signal, onProgress }));
  assert.equal(stored.size, 0);
});

test("requests have at most 20 messages, and not too much text", () => {
  const of = (...lengths: readonly number[]) =>
    batchesOf(lengths.map((length) => ({ role: "user", text: "x".repeat(length) }))).map(
      (batch) => batch.length,
    );
  assert.deepEqual(of(), []);
  assert.deepEqual(of(...Array.from({ length: 41 }, () => 1)), [20, 20, 1]);
  assert.deepEqual(of(300_000, 200_000, 10, 500_000, 1), [1, 2, 1, 1]);
});
