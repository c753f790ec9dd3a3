import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts, type Message } from "@capstan/core";
import type { PartSource } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, toyTools } from "../../testing/app-fixtures.ts";
import { tool } from "../../testing/run-fixtures.ts";
import { cacheDocuments, type DocumentConverter } from "./document-text.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const converter = () => {
  let count = 0;
  const documents: DocumentConverter = {
    isConvertible: ({ mimeType }) => mimeType === "application/pdf",
    convert: async ({ name }) => {
      count += 1;
      return name.startsWith("bad")
        ? { status: "failed", reason: "it is corrupt" }
        : { status: "converted", markdown: `# ${name}` };
    },
  };
  return { documents, count: () => count };
};

/** The files of a message, by name, with their types and texts. */
const filesOf = (message: Message | undefined) => {
  const parts = message?.role === "tool" ? (message.parts ?? []) : (message?.content ?? []);
  return (typeof parts === "string" ? [] : parts).flatMap((part) =>
    part.type === "file" && part.source.type === "base64"
      ? [[part.name, part.mimeType, Buffer.from(part.source.data, "base64").toString()]]
      : [],
  );
};

const fileOf = (filename: string) => ({
  type: "input_file",
  filename,
  file_data: `data:application/pdf;base64,${base64(`%PDF ${filename}`)}`,
});

const report = tool("Report", () =>
  contentParts([
    {
      type: "file",
      name: "made.pdf",
      mimeType: "application/pdf",
      source: { type: "base64", data: base64("%PDF made") },
    },
  ]),
);

const reportThenSay = [{ calls: [{ name: "Report" }] }, "Done."];

// Contract: files-7
test("a model that takes no PDF gets Markdown, and each document is converted once", async () => {
  const { documents, count } = converter();
  const scripted = new ScriptedModel([...reportThenSay, ...reportThenSay]);
  const model = Object.assign(scripted, { readsFile: (type: string) => type.startsWith("image/") });
  const app = createTestApp({ model, tools: [report], documents });
  const content = [fileOf("a.pdf"), fileOf("bad.pdf")];
  const input = [{ type: "message", role: "user", content }];
  for (const store of [true, false]) {
    const body = { model: "scripted", input, tools: toyTools, store };
    assert.equal((await app.call("POST", "/v1/responses", body)).body.status, "completed");
  }
  for (const { messages } of model.requests) {
    const user = messages.find(({ role }) => role === "user");
    assert.deepEqual(filesOf(user), [
      ["a.pdf", "text/markdown", "# a.pdf"],
      [
        "bad.pdf",
        "text/markdown",
        "[This document (application/pdf) could not be converted to text: it is corrupt.]",
      ],
    ]);
  }
  const result = model.requests[1]?.messages.at(-1);
  assert.deepEqual(filesOf(result), [["made.pdf", "text/markdown", "# made.pdf"]]);
  assert.equal(model.requests.length, 4);
  assert.equal(count(), 3);
});

test("a conversion is repeated after a temporary failure, and not after others", async () => {
  const failures = [
    { status: "failed", reason: "it took too long", isTransient: true },
    { status: "failed", reason: "it is corrupt" },
    { status: "converted", markdown: "unused" },
  ] as const;
  let count = 0;
  let now = 0;
  const cached = cacheDocuments(
    { isConvertible: () => true, convert: async () => failures[count++] ?? failures[2] },
    { now: () => now },
  );
  const convert = () =>
    cached.convert({
      name: "a.pdf",
      mimeType: "application/pdf",
      source: { type: "blob", sha256: "a", size: 1 },
      read: async () => Buffer.from("a"),
      signal: new AbortController().signal,
    });
  // Only the first round of a run waits for the timeout.
  for (let round = 0; round < 3; round++) assert.equal(await convert(), failures[0]);
  assert.equal(count, 1);
  now = 5 * 60 * 1_000;
  assert.equal(await convert(), failures[1]);
  now *= 100;
  assert.equal(await convert(), failures[1]);
  assert.equal(count, 2);
});

test("the bytes of a converted document are read once, and missing ones are not cached", async () => {
  const { documents, count } = converter();
  const cached = cacheDocuments(documents);
  let reads = 0;
  const disk: { bytes?: Uint8Array } = {};
  const convert = (source: PartSource) => {
    assert.ok(source.type !== "url");
    return cached.convert({
      name: "a.pdf",
      mimeType: "application/pdf",
      source,
      read: async () => ((reads += 1), disk.bytes),
      signal: new AbortController().signal,
    });
  };
  const stored = { type: "blob", sha256: "a", size: 1 } as const;
  assert.equal(await convert(stored), undefined);
  disk.bytes = Buffer.from("a");
  for (let round = 0; round < 3; round++) await convert({ ...stored });
  assert.deepEqual([reads, count()], [2, 1]);
  let hashed = 0;
  const inline = {
    type: "base64",
    get data() {
      return ((hashed += 1), base64("b"));
    },
  } as const;
  for (let round = 0; round < 3; round++) await convert(inline);
  assert.deepEqual([reads, count(), hashed], [3, 2, 1]);
});

test("a model that takes PDFs gets the PDF", async () => {
  const { documents, count } = converter();
  const model = Object.assign(new ScriptedModel(["Done."]), { readsFile: () => true });
  const app = createTestApp({ model, documents });
  const input = [{ type: "message", role: "user", content: [fileOf("a.pdf")] }];
  await app.call("POST", "/v1/responses", { model: "scripted", input });
  assert.deepEqual(filesOf(model.requests[0]?.messages.at(-1)), [
    ["a.pdf", "application/pdf", "%PDF a.pdf"],
  ]);
  assert.equal(count(), 0);
});
