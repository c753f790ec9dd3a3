import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { isToolError, type ToolErrorData } from "@capstan/core";
import { call, callForText, toolOf } from "@capstan/core/testing";
import { zipSync } from "fflate";
import { fileTools } from "./file-tools.ts";
import { imageSize } from "./inspect/image-size.ts";

const base = await mkdtemp(join(tmpdir(), "capstan-inspect-"));
const root = join(base, "root");
after(() => rm(base, { recursive: true }));

before(async () => {
  await mkdir(join(root, "folder"), { recursive: true });
  await writeFile(join(root, "folder/a.txt"), "a");
  await writeFile(join(root, "folder/.hidden"), "b");
  await writeFile(join(root, "text.txt"), "one\ntwo\nthree");
  await writeFile(join(root, "windows.txt"), "one\r\ntwo\r\n");
  await writeFile(join(root, "mixed.txt"), "one\r\ntwo\n");
  await chmod(join(root, "text.txt"), 0o640);
  await writeFile(
    join(root, "a.zip"),
    zipSync({ "docs/a.txt": Buffer.from("hello"), "b.bin": new Uint8Array(3000) }),
  );
  await writeFile(join(root, "broken.zip"), "PK\x03\x04 broken");
  execFileSync("tar", ["-czf", join(root, "a.tar.gz"), "-C", root, "folder/a.txt", "text.txt"]);
  const many = Array.from({ length: 300 }, (_, n) => `many/${n}.txt`);
  await mkdir(join(base, "many"));
  for (const name of many) await writeFile(join(base, name), name.repeat(300));
  execFileSync("tar", ["-czf", join(root, "many.tgz"), "-C", base, ...many]);
  await writeFile(join(root, "text.gz"), gzipSync("only a text".repeat(100)));
  await writeFile(
    join(root, "cut.tar.gz"),
    (await readFile(join(root, "many.tgz"))).subarray(0, 900),
  );
  execFileSync("tar", ["-cf", join(root, "a.tar"), "-C", root, "folder/a.txt", "text.txt"]);
});

const inspect = fileTools({ roots: [{ path: root }] });
const text = (path: string) => callForText(toolOf(inspect, "InspectFile"), { path });

test("a text has its size, lines, line ends, permissions and digest", async () => {
  const shown = await text("text.txt");
  const sha256 = createHash("sha256").update("one\ntwo\nthree").digest("hex");
  assert.match(shown, /^text\.txt: text\n13 bytes \(13 bytes\)\nmodified \d{4}-.*Z, created /);
  assert.match(shown, /permissions rw-r-----\nutf-8, 3 lines, line ends LF\n/);
  assert.ok(shown.endsWith(`sha256 ${sha256}`));
  assert.match(await text("windows.txt"), /2 lines, line ends CRLF/);
  assert.match(await text("mixed.txt"), /2 lines, line ends mixed/);
});

test("a folder has the number of its visible items", async () => {
  assert.match(await text("folder"), /^folder: folder\n1 item\n/);
});

test("the entries of an archive are listed without unpacking it", async () => {
  assert.match(
    await text("a.zip"),
    /2 entries:\n- docs\/a\.txt \(5 bytes\)\n- b\.bin \(2\.9 KB\)$/,
  );
  assert.match(
    await text("a.tar"),
    /^a\.tar: a TAR archive[^]*2 entries:\n- folder\/a\.txt \(1 byte\)\n- text\.txt \(13 bytes\)$/,
  );
  assert.match(await text("broken.zip"), /ZIP archive/);
  assert.match(
    await text("a.tar.gz"),
    /2 entries:\n- folder\/a\.txt \(1 byte\)\n- text\.txt \(13 bytes\)$/,
  );
  assert.match(await text("many.tgz"), /300 entries[^]*\n- many\/0\.txt \(2\.9 KB\)/);
  for (const name of ["text.gz", "cut.tar.gz"]) assert.doesNotMatch(await text(name), /entries/);
});

test("inspecting a path outside the roots does not reveal whether it exists", async () => {
  for (const path of ["../secret", "/etc/passwd", "/etc/none", "folder/.hidden"]) {
    const failed = await call(toolOf(inspect, "InspectFile"), { path });
    assert.ok(isToolError(failed), path);
    assert.match((failed as ToolErrorData).code, /^(outside_roots|hidden_path)$/);
  }
});

test("the size of a picture is read from its header, and is absent if the header is corrupt", () => {
  const png = Buffer.alloc(24);
  png.write("\x89PNG\r\n\x1a\n", "latin1");
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  assert.deepEqual(imageSize(png), { width: 640, height: 480 });
  assert.equal(imageSize(png.subarray(0, 18)), undefined);
  const gif = Buffer.from("GIF89a\x20\x03\x58\x02", "latin1");
  assert.deepEqual(imageSize(gif), { width: 800, height: 600 });
  // A comment, then the frame header.
  const jpeg = Buffer.from("ffd8fffe000441420000ffc0001108007800a003", "hex");
  assert.equal(imageSize(jpeg.subarray(0, 6)), undefined);
  const plain = Buffer.from("ffd8fffe00044142ffc0001108007800a003", "hex");
  assert.deepEqual(imageSize(plain), { width: 160, height: 120 });
  const webp = Buffer.alloc(30);
  webp.write("RIFF____WEBPVP8X", "latin1");
  webp.writeUIntLE(1919, 24, 3);
  webp.writeUIntLE(1079, 27, 3);
  assert.deepEqual(imageSize(webp), { width: 1920, height: 1080 });
});
