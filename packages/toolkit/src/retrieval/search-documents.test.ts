import assert from "node:assert/strict";
import { test } from "node:test";
import { defineToolGroup, type GivenFile, ToolExecutor } from "@capstan/core";
import { IndexedDocuments } from "./indexed-documents.ts";
import { searchDocuments } from "./search-documents.ts";

/** Searches three documents of 20 characters for a word that all of them contain. */
async function search(maxChars: number): Promise<string> {
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
    read: () => Buffer.from(`notice ${name}`.padEnd(20, ".")),
  }));
  const result = await executor.execute("SearchDocuments", '{"query":"notice"}', {
    caller: { principal: { id: "ann" }, files: { _all: files } },
  });
  assert.equal(result.status, "success", JSON.stringify(result));
  return result.finalText;
}

test("a search says which documents it left out because of their length", async () => {
  const text = await search(39);
  assert.match(text, /one\.txt[^]*two\.txt/);
  assert.doesNotMatch(text, /three/);
  assert.match(
    text,
    /all documents after the first 2, which have 40 characters; search a smaller folder/,
  );
  assert.match(await search(40), /three\.txt/);
});
