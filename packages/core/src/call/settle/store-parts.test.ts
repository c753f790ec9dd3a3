import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReturnedFile, StoreFile } from "../../tool/stored-file.ts";
import type { ContentPart } from "../../model/content-part.ts";
import { executorWith } from "../../testing/executor-with.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { contentParts } from "../../tool/return-value.ts";
import { MemoryLedger } from "../record/ledger.ts";

const picture: ContentPart = {
  type: "image",
  mimeType: "image/png",
  source: { type: "base64", data: "iVBORw0KGgo=" },
};

const toolOf = (name: string, execute: () => readonly ContentPart[]) =>
  defineTool({
    name,
    description: "",
    parameters: { type: "object", properties: {} },
    permission: { executionPolicy: "auto" },
    execute: () => contentParts(execute()),
  });

const stores = (sha256 = "ab") => {
  const files: ReturnedFile[] = [];
  const storeFile: StoreFile = (file) => {
    files.push(file);
    return { status: "stored", sha256, size: 8 };
  };
  return { files, storeFile };
};

// Contract: executor-251
test("bytes that a tool returns are stored, and record and result refer to them", async () => {
  const { files, storeFile } = stores();
  const ledger = new MemoryLedger();
  const report = { type: "file", name: "r.pdf", mimeType: "application/pdf" } as const;
  const tool = toolOf("Draw", () => [
    { ...picture, fileId: "file-chosen" },
    { type: "text", text: "Two files" },
    { ...report, source: { type: "base64", data: "JVBERi0=" } },
    { ...report, source: { type: "url", url: "https://example.org/r.pdf" } },
  ]);
  const result = await executorWith([tool], { storeFile, ledger }).execute("Draw", {});
  assert.ok(result.status === "success");
  const [image, , file] = result.parts ?? [];
  assert.ok(image?.type === "image" && file?.type === "file");
  assert.match(image.fileId ?? "", /^file-[0-9a-v]{25}$/);
  assert.deepEqual(image.source, { type: "blob", sha256: "ab", size: 8 });
  assert.deepEqual(
    files.map(({ id, name, data }) => [id, name, data]),
    [
      [image.fileId, "Draw-1", "iVBORw0KGgo="],
      [file.fileId, "r.pdf", "JVBERi0="],
    ],
  );
  assert.match(result.finalText, new RegExp(`^\\[image image/png ${image.fileId}\\]`));
  const [record] = ledger.list();
  assert.doesNotMatch(JSON.stringify(record), /iVBORw0KGgo|JVBERi0|file-chosen/);
});

test("a file that cannot be stored becomes a text with the reason, without an error's details", async () => {
  const tool = toolOf("Draw", () => [picture, picture]);
  let calls = 0;
  const storeFile: StoreFile = () => {
    if (calls++ > 0) throw new Error("arn:aws:s3:::secret-bucket: denied");
    return { status: "refused", reason: "You have 10 files, which is the limit." };
  };
  const result = await executorWith([tool], { storeFile }).execute("Draw", {});
  assert.ok(result.status === "success");
  assert.match(
    result.finalText,
    /file-\w+ was not stored: You have 10 files.*\n\[file-\w+ was not stored: the server could not store it\]$/,
  );
  assert.doesNotMatch(JSON.stringify(result), /secret-bucket/);
  assert.deepEqual(
    result.parts?.map(({ type }) => type),
    ["text", "text"],
  );
});

// Contract: executor-252
test("a result in review is stored when it is released, and never if it is withheld", async () => {
  for (const decision of ["release", "withhold"] as const) {
    const { files, storeFile } = stores();
    const drawn = toolOf("Draw", () => [picture]);
    const permission = { executionPolicy: "auto", resultApprovalPolicy: "always" } as const;
    const result = await executorWith([{ ...drawn, permission }], {
      storeFile,
      approvals: {
        request: () => ({ decision: "allow" }),
        review: ({ parts }) => {
          assert.equal(files.length, 0);
          assert.deepEqual(
            parts?.map(({ type }) => type),
            ["image"],
          );
          return { decision };
        },
      },
    }).execute("Draw", {});
    assert.equal(result.status, decision === "release" ? "success" : "result_rejected");
    assert.equal(files.length, decision === "release" ? 1 : 0);
  }
});

// Contract: executor-253
test("a tool can return a stored file of its sub-call, but no other reference", async () => {
  const { files, storeFile } = stores();
  const inner = toolOf("Draw", () => [picture]);
  const outer = defineTool({
    name: "Outer",
    description: "",
    parameters: { type: "object", properties: {} },
    permission: { executionPolicy: "auto" },
    execute: async (_args, { callTool }) => contentParts((await callTool("Draw", {})).parts ?? []),
  });
  const guess = toolOf("Guess", () => [
    {
      ...picture,
      fileId: "file-x",
      source: { type: "blob", sha256: "ab", size: 8 },
    },
  ]);
  const executor = executorWith([inner, outer, guess], { storeFile });
  const result = await executor.execute("Outer", {});
  assert.ok(result.status === "success");
  assert.equal(files.length, 1);
  assert.deepEqual(
    result.parts?.map((part) => "fileId" in part && part.fileId),
    [files[0]?.id],
  );
  assert.equal((await executor.execute("Guess", {})).status, "error");
});

test("without a place to store files, results contain the bytes and no ids", async () => {
  const tool = toolOf("Draw", () => [{ ...picture, fileId: "file-chosen" }]);
  const result = await executorWith([tool]).execute("Draw", {});
  assert.ok(result.status === "success");
  assert.deepEqual(result.parts, [picture]);
});
