import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type GivenFile, type RequestTool, ToolExecutor } from "@capstan/core";
import { attachmentsOnly } from "@capstan/core/host";
import { retrievalTools } from "./retrieval-tools.ts";
import type { StoredDocuments } from "./stored-documents.ts";

const root = await mkdtemp(join(tmpdir(), "capstan-retrieval-"));
after(() => rm(root, { recursive: true }));
await mkdir(join(root, "contracts/old"), { recursive: true });
await writeFile(
  join(root, "contracts/lease.md"),
  "# Lease\n\nThe notice period is three months.\n",
);
await writeFile(join(root, "contracts/old/sale.txt"), "The goods are delivered in May.\r\nPaid.");
await writeFile(join(root, "contracts/blob.txt"), Buffer.from([1, 0, 2, 3]));
await writeFile(join(root, "contracts/page.html"), "<h1>Visit</h1><p>Notice board in the hall</p>");
await writeFile(join(root, ".secret"), "notice");

function fileOf(name: string, text: string | Uint8Array, mimeType = "text/plain"): GivenFile {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return { id: `file-${name.replaceAll(/\W/g, "")}`, name, mimeType, read: () => bytes };
}

async function call(
  name: string,
  args: object,
  {
    files = [],
    tool,
    stored,
    limited = false,
  }: {
    readonly files?: readonly GivenFile[];
    readonly tool?: RequestTool;
    readonly stored?: StoredDocuments;
    readonly limited?: boolean;
  } = {},
) {
  const executor = new ToolExecutor({});
  executor.registerToolGroup(
    retrievalTools({ roots: [{ path: root }], ...(stored && { stored: () => stored }) }),
  );
  executor.toggleGroupEnabled("retrieval", true);
  return executor.execute(name, JSON.stringify(args), {
    caller: {
      principal: { id: "ann" },
      files: { _all: files },
      ...(tool && { tools: { "retrieval.SearchDocuments": tool } }),
      ...(limited && { tools: { retrieval: attachmentsOnly } }),
    },
  });
}

const textOf = (result: Awaited<ReturnType<typeof call>>) =>
  result.status === "success" ? result.finalText : `${result.status}: ${JSON.stringify(result)}`;

test("a folder is searched with its subfolders, and the result names unreadable files", async () => {
  const text = textOf(
    await call("SearchDocuments", { query: "notice periods", path: "contracts" }),
  );
  assert.match(text, /^\[1\] contracts\/lease\.md, lines 1-3 \(score 1\.00\)\n# Lease/);
  assert.match(text, /contracts\/page\.html, .*\(score 0\.\d\d\)/);
  assert.match(text, /Not searched: contracts\/blob\.txt: it is binary data, which has no text\./);
  assert.doesNotMatch(text, /secret|sale/);
});

test("attached files are searched, and cited by their ids", async () => {
  const files = [fileOf("a.txt", "moons and tides"), fileOf("b.txt", "bread"), fileOf("c.txt", "")];
  const result = await call("SearchDocuments", { query: "tide" }, { files });
  const text = textOf(result);
  assert.match(text, /^\[1\] a\.txt, line 1/);
  assert.match(text, /c\.txt: it is empty/);
  assert.deepEqual(result.status === "success" && result.annotations, [
    { type: "file_citation", fileId: "file-atxt", filename: "a.txt" },
  ]);
});

test("the vector stores of the request are searched with its options", async () => {
  const queries: object[] = [];
  const stored: StoredDocuments = {
    async search({ signal: _signal, ...query }) {
      queries.push(query);
      const hit = { document: "s.pdf", fileId: "file-s", score: 0.7, text: "found", page: 3 };
      return { status: "found", hits: [hit] };
    },
    readFile: async () => undefined,
  };
  const filters = { type: "eq", key: "a", value: 1 };
  const tool = {
    type: "file_search",
    vector_store_ids: ["vs_1"],
    max_num_results: 3,
    filters,
    ranking_options: { score_threshold: 0.5 },
  };
  const text = textOf(await call("SearchDocuments", { query: "x" }, { tool, stored }));
  assert.equal(text, "[1] s.pdf, page 3 (score 0.70)\nfound");
  assert.deepEqual(queries, [
    { owner: "ann", storeIds: ["vs_1"], query: "x", filters, limit: 3, minScore: 0.5 },
  ]);
});

for (const [what, args, message] of [
  ["no documents", { query: "x" }, /nothing_to_search.*path/],
  ["a query without words", { query: "?!", path: "." }, /empty_query/],
  ["a missing folder", { query: "x", path: "contract" }, /not_found.*contracts/],
  ["a folder outside", { query: "x", path: "../etc" }, /outside_roots/],
  ["a store without a server", { query: "x", stores: ["vs_1"] }, /vector_store_not_found/],
] as const)
  test(`a search with ${what} fails with advice`, async () => {
    assert.match(textOf(await call("SearchDocuments", args)), message);
  });

test("documents are read whole, by lines, and from attachments", async () => {
  const lines = textOf(
    await call("ReadDocuments", { documents: ["contracts/lease.md"], startLine: 3, endLine: 3 }),
  );
  assert.equal(lines, "# contracts/lease.md (4 lines)\n\nThe notice period is three months.");
  const files = [fileOf("a.html", "<h1>Title</h1><p>Text</p>", "text/html")];
  const both = textOf(
    await call("ReadDocuments", { documents: ["a.html", "missing.md"] }, { files }),
  );
  assert.match(both, /# Title\n\nText/);
  assert.match(both, /# missing\.md\n\n\[Cannot be read: There is no "missing\.md"/);
});

for (const [what, bytes, message] of [
  ["empty", new Uint8Array(), /it is empty/],
  ["binary", new Uint8Array([0, 1, 2]), /binary data/],
  ["too long", new Uint8Array(33 * 1024 * 1024).fill(97), /at most 32/],
] as const)
  test(`a document that is ${what} is an error with the reason`, async () => {
    const files = [fileOf("a.txt", bytes)];
    assert.match(textOf(await call("ReadDocuments", { documents: ["a.txt"] }, { files })), message);
  });

test("a range that ends before it begins is rejected", async () => {
  const args = { documents: ["contracts/lease.md"], startLine: 3, endLine: 2 };
  assert.match(textOf(await call("ReadDocuments", args)), /invalid_range/);
});

test("a file of another user is not read by its id", async () => {
  const stored: StoredDocuments = {
    search: () => assert.fail("not called"),
    readFile: async ({ owner, id }) => {
      assert.deepEqual([owner, id], ["ann", "file-x"]);
      return undefined;
    },
  };
  const text = textOf(await call("ReadDocuments", { documents: ["file-x"] }, { stored }));
  assert.match(text, /the user has no such file/);
});

test("a tool that a request adds for its files cannot read other files", async () => {
  const stored: StoredDocuments = {
    search: async () => assert.fail("no store may be searched"),
    readFile: async () => assert.fail("no stored file may be read"),
  };
  const files = [fileOf("own.txt", "the notice of the request")];
  const more = { files, stored, limited: true };
  for (const args of [{ path: "contracts" }, { stores: ["vs_1"] }])
    assert.match(
      textOf(await call("SearchDocuments", { query: "notice", ...args }, more)),
      /attachments_only/,
    );
  assert.match(textOf(await call("SearchDocuments", { query: "notice" }, more)), /of the request/);
  for (const name of ["contracts/lease.md", "file-other"])
    assert.match(
      textOf(await call("ReadDocuments", { documents: [name] }, more)),
      /only attached files can be read: \\?"own.txt/,
    );
  const own = await call("ReadDocuments", { documents: ["own.txt"] }, more);
  assert.match(textOf(own), /of the request/);
});
