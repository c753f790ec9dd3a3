import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts, type Message } from "@capstan/core";
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
        ? { status: "failed", reason: "it is damaged" }
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
        "[This document (application/pdf) could not be converted to text: it is damaged.]",
      ],
    ]);
  }
  const result = model.requests[1]?.messages.at(-1);
  assert.deepEqual(filesOf(result), [["made.pdf", "text/markdown", "# made.pdf"]]);
  assert.equal(model.requests.length, 4);
  assert.equal(count(), 3);
});

test("a failure that may pass is not cached, and others are", async () => {
  const failures = [
    { status: "failed", reason: "it took too long", isTransient: true },
    { status: "failed", reason: "it is damaged" },
    { status: "converted", markdown: "unused" },
  ] as const;
  let count = 0;
  const cached = cacheDocuments({
    isConvertible: () => true,
    convert: async () => failures[count++] ?? failures[2],
  });
  const { signal } = new AbortController();
  const document = { name: "a.pdf", mimeType: "application/pdf", bytes: Buffer.from("a"), signal };
  assert.equal(await cached.convert(document), failures[0]);
  assert.equal(await cached.convert(document), failures[1]);
  assert.equal(await cached.convert(document), failures[1]);
  assert.equal(count, 2);
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
