import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { unzipSync, zipSync } from "fflate";
import { convertBytes } from "./convert-bytes.ts";
import { convertDocument, isConvertible } from "./convert-document.ts";
import type { DocumentKind } from "./document-kind.ts";
import { openArchive } from "./open-archive.ts";

const fixture = (kind: DocumentKind) =>
  readFile(join(import.meta.dirname, "testing/fixtures", `report.${kind}`));

async function markdownOf(kind: DocumentKind): Promise<string> {
  const outcome = await convertBytes(kind, await fixture(kind));
  assert.ok(outcome.status === "converted", JSON.stringify(outcome));
  return outcome.markdown;
}

async function reasonOf(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  const outcome = await convertBytes(kind, bytes);
  assert.ok(outcome.status === "failed", JSON.stringify(outcome).slice(0, 500));
  return outcome.reason;
}

const table =
  /\| Basin \| Depth \(m\) \| Ships \|\n\| --- \| --- \| --- \|\n\| North \| 12 \| 4 \|/;

// Contract: files-7
test("documents that other programs wrote become Markdown with their headings, tables and links", async () => {
  // Written by Pandoc 2.17.
  for (const kind of ["docx", "epub", "html"] as const) {
    const markdown = await markdownOf(kind);
    assert.match(markdown, /^# (?:Harbour report|.*)$/m, kind);
    assert.match(
      markdown,
      /has \*\*three\*\* basins and a \[website\]\(https:\/\/example\.org/,
      kind,
    );
    assert.match(markdown, table, kind);
    assert.match(markdown, /^1\. +Moor at the quay\.$/m, kind);
    assert.match(markdown, /“Naïve café” is a tavern — 港\./, kind);
    assert.match(markdown, /^# Second chapter$/m, kind);
  }
  const slides = await markdownOf("pptx");
  assert.match(slides, /^## Slide 2: Harbour report\n\nThe harbour has three basins/m);
  assert.match(slides, table);
  assert.match(slides, /Naïve café.*港/);
  // Written by openpyxl.
  assert.equal(
    await markdownOf("xlsx"),
    [
      "## Ships",
      "| Name | Arrived | Tonnes | Moored | Note |\n| --- | --- | --- | --- | --- |\n" +
        "| Anna \\| Maria | 2026-03-01 | 1200.5 | true | two<br>lines |\n" +
        "| Berta | 2026-03-02T14:30:00 | 80 | false |  |",
      "## Empty",
      "(empty)",
      "## Ports & piers",
      "| 港 | Harbour |\n| --- | --- |",
    ].join("\n\n"),
  );
  // Printed by Chromium.
  const pages = await markdownOf("pdf");
  assert.match(pages, /^## Page 1\n\nHarbour report/);
  assert.match(pages, /The harbour has three basins and a website\./);
});

test("a file's type decides, and its name if the type is unknown", () => {
  const isDocument = (name: string, mimeType: string) => isConvertible({ name, mimeType });
  assert.ok(isDocument("a.PDF", "application/octet-stream"));
  assert.ok(isDocument("a", "application/pdf; charset=binary"));
  assert.ok(!isDocument("a.pdf", "image/png"));
  assert.ok(!isDocument("a.txt", ""));
  assert.ok(!isDocument("pdf", ""));
});

const encode = (text: string) => new TextEncoder().encode(text);

/** Returns a document of the kind, with some of its files replaced. */
async function changed(kind: DocumentKind, files: Readonly<Record<string, Uint8Array>>) {
  return zipSync({ ...unzipSync(await fixture(kind)), ...files });
}

const mainFiles = [
  ["docx", "word/document.xml"],
  ["pptx", "ppt/presentation.xml"],
  ["xlsx", "xl/workbook.xml"],
] as const;

// Contract: files-8
test("a decompression bomb is rejected, even if it declares a smaller size", () => {
  const zeros = new Uint8Array(1024 * 1024);
  const archive = zipSync({ "a.xml": zeros });
  /** Returns the archive with another size in its directory and file header. */
  const declaring = (size: number) => {
    const view = Buffer.from(archive);
    for (let at = view.indexOf(sizeOf(zeros)); at !== -1; at = view.indexOf(sizeOf(zeros), at + 4))
      view.writeUInt32LE(size, at);
    return view;
  };
  assert.throws(
    () => openArchive(declaring(101 * 1024 * 1024)),
    /larger than 100 MB when unpacked/,
  );
  assert.equal(openArchive(declaring(10))["a.xml"]?.length, 10);
});

// Contract: files-8
test("uncompressed files that share their bytes count with their real sizes", () => {
  const bytes = 1024 * 1024;
  const names = Array.from({ length: 101 }, (_, n) => `${n}.xml`);
  const whole = Buffer.from(
    zipSync(Object.fromEntries(names.map((name) => [name, [new Uint8Array(), { level: 0 }]]))),
  );
  const start = whole.indexOf("PK\x01\x02");
  const directory = whole.subarray(start);
  for (let at = 0; at !== -1; at = directory.indexOf("PK\x01\x02", at + 4)) {
    directory.writeUInt32LE(bytes, at + 20);
    directory.writeUInt32LE(0, at + 24);
    directory.writeUInt32LE(0, at + 42);
  }
  const shared = Buffer.alloc(bytes + 100);
  const end = directory.indexOf("PK\x05\x06");
  directory.writeUInt32LE(start + shared.length, end + 16);
  const archive = Buffer.concat([whole.subarray(0, start), shared, directory]);
  assert.throws(() => openArchive(archive), /larger than 100 MB when unpacked/);
});

function sizeOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}

// Contract: files-8
test("declared entities, paths that lead out and too many files are rejected", async () => {
  const lol = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "${"lol".repeat(100)}"><!ENTITY b "&a;&a;">]><w:p>&b;</w:p>`;
  for (const [kind, name] of mainFiles)
    assert.match(await reasonOf(kind, await changed(kind, { [name]: encode(lol) })), /entities/);
  const utf16 = Buffer.from(lol, "utf16le");
  assert.throws(() => openArchive(zipSync({ "a.xml": utf16 })), /entities/);
  const outside = await changed("docx", { "../../evil.xml": encode("<a/>") });
  assert.match(await reasonOf("docx", outside), /path outside/);
  const many = Object.fromEntries(
    Array.from({ length: 10_001 }, (_, n) => [`${n}.bin`, encode("")]),
  );
  assert.throws(() => openArchive(zipSync(many, { level: 0 })), /more than 10000 files/);
});

// Contract: files-8
test("documents that are corrupt, truncated, encrypted or of another type are rejected", async () => {
  for (const kind of ["docx", "xlsx", "pptx", "epub", "pdf"] as const) {
    const whole = await fixture(kind);
    assert.ok((await reasonOf(kind, whole.subarray(0, whole.length / 2))) !== "", kind);
    assert.ok((await reasonOf(kind, encode("not a document"))) !== "", kind);
    assert.ok((await reasonOf(kind, new Uint8Array())) !== "", kind);
  }
  assert.ok((await reasonOf("docx", await fixture("epub"))) !== "");
  const noMain = zipSync({ "a.xml": encode("<a/>") });
  assert.match(await reasonOf("pptx", noMain), /"ppt\/presentation\.xml" is missing/);
});

// Contract: files-8
test("a document is converted in a process without permissions, because threads can end the server", async () => {
  const started: (readonly string[])[] = [];
  const note = (message: unknown) => {
    const { process } = message as { readonly process: ChildProcess };
    process.once("spawn", () => started.push(process.spawnargs));
  };
  subscribe("child_process", note);
  const { signal } = new AbortController();
  await convertDocument({ name: "a.html", mimeType: "", bytes: encode("<p>Hello"), signal });
  unsubscribe("child_process", note);
  assert.equal(started.length, 1);
  assert.ok(started[0]?.includes("--permission"));
});

test("a document is converted in its own process, and a long one is truncated", async () => {
  const { signal } = new AbortController();
  const file = { name: "a.html", mimeType: "text/html", signal };
  const page = (text: string) => ({ ...file, bytes: encode(`<title>T</title><p>${text}</p>`) });
  const short = await convertDocument(page("Hello"));
  assert.deepEqual(short, { status: "converted", markdown: "# T\n\nHello" });
  const text = "x".repeat(425_000);
  const long = await convertDocument({ ...file, bytes: encode(text) });
  assert.ok(long.status === "converted");
  assert.match(long.markdown, /\[Truncated: 25000 of 425000 characters omitted\.\]$/);
  const large = await convertDocument({ ...file, bytes: new Uint8Array(51 * 1024 * 1024) });
  assert.match(large.status === "failed" ? large.reason : "", /at most 52428800 are converted/);
});
