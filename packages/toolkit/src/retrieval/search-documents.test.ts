import assert from "node:assert/strict";
import { test } from "node:test";
import { defineToolGroup, type GivenFile, ToolExecutor } from "@capstan/core";
import { IndexedDocuments } from "./indexed-documents.ts";
import { searchDocuments } from "./search-documents.ts";

/** Searches three documents of 20 characters for a word that all of them contain. */
async function search(maxChars: number, onRead = async () => {}): Promise<string> {
  const executor = new ToolExecutor({});
  const tool = searchDocuments({
    files: { roots: [] },
    documents: new IndexedDocuments(),
    stored: () => undefined,
    maxChars,
  });
  executor.registerToolGroup(
    defineToolGroup({ name: "retrieval", description: "Documents", tools: [tool] }),
  );
  executor.toggleGroupEnabled("retrieval", true);
  const files = ["one", "two", "three"].map((name): GivenFile => ({
    id: `file-${name}`,
    name: `${name}.txt`,
    mimeType: "text/plain",
    async read() {
      await onRead();
      return Buffer.from(`notice ${name}`.padEnd(20, "."));
    },
  }));
  const result = await executor.execute("SearchDocuments", '{"query":"notice"}', {
    caller: { principal: { id: "ann" }, files: { _all: files } },
  });
  assert.equal(result.status, "success", JSON.stringify(result));
  return result.finalText;
}

test("the result names the documents that the search skipped because of the size limit", async () => {
  const text = await search(39);
  assert.match(text, /one\.txt[^]*two\.txt/);
  assert.doesNotMatch(text, /three/);
  assert.match(
    text,
    /all documents after the first 2, which have 40 characters; search a smaller folder/,
  );
  assert.match(await search(40), /three\.txt/);
});

test("at most two searches have their documents in memory, and others are queued", async () => {
  let [now, most] = [0, 0];
  const onRead = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((done) => setImmediate(done));
    now -= 1;
  };
  await Promise.all(Array.from({ length: 6 }, () => search(1_000, onRead)));
  assert.equal(most, 2);
});

test("each word of an indexed document takes four bytes", async () => {
  const { signal } = new AbortController();
  const read = async () => Buffer.from("漢字かな".repeat(1_000));
  const document = { name: "a.txt", mimeType: "text/plain", read };
  const indexed = await new IndexedDocuments().index(document, { user: "ann", signal });
  assert.ok(indexed.status === "indexed");
  for (const { words } of indexed.chunks) assert.equal(words.byteLength, 4 * words.length);
});
