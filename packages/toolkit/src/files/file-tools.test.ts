import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ContentParts, isToolError, type ToolErrorData, ToolExecutor } from "@capstan/core";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import { FileError, fileRoots } from "./file-roots.ts";
import { fileTools } from "./file-tools.ts";
import { openAllowed } from "./open-path.ts";

let base = "";
let root = "";
const secret = "TOP SECRET";

before(async () => {
  base = await mkdtemp(join(tmpdir(), "capstan-files-"));
  root = join(base, "root");
  await mkdir(join(root, "src/deep"), { recursive: true });
  await mkdir(join(root, "node_modules/pkg"), { recursive: true });
  await mkdir(join(root, "data"));
  await mkdir(join(root, ".git"));
  await mkdir(join(base, "root-evil"));
  await mkdir(join(base, "outside"));
  const files: { readonly [path: string]: string | Uint8Array } = {
    "root/README.md": "# Title\nneedle here\nlast\n",
    "root/src/app.ts": "one\ntwo Needle\nthree\nfour\nfive needle\nsix\n",
    "root/src/deep/util.ts": "const x = 1;\n",
    "root/node_modules/pkg/index.js": "needle in a dependency\n",
    "root/data/private.txt": `needle ${secret}\n`,
    "root/.env": `needle ${secret}\n`,
    "root/.git/config": `needle ${secret}\n`,
    "root/%2e%2e": "a file with percent signs\n",
    "root/latin1.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
    "root/utf16.txt": Buffer.from("\uFEFFhé needle\n", "utf16le"),
    "root/blob.bin": Uint8Array.of(1, 0, 2, 0, 3, 110),
    "root/doc.pdf": Buffer.from("%PDF-1.7\n\0\0needle"),
    "root/dot.png": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0),
    "root/empty.txt": "",
    "root-evil/x.txt": secret,
    "outside/secret.txt": `needle ${secret}\n`,
  };
  for (const [path, content] of Object.entries(files)) await writeFile(join(base, path), content);
  await symlink(join(base, "outside"), join(root, "link-out"));
  await symlink("../outside/secret.txt", join(root, "link-file"));
  await symlink("src/app.ts", join(root, "link-in"));
  await symlink(".env", join(root, "link-hidden"));
  await symlink("data/private.txt", join(root, "link-denied"));
  await symlink("loop", join(root, "loop"));
  await symlink("..", join(root, "src/up"));
});

after(() => rm(base, { recursive: true }));

type Args = { readonly [name: string]: unknown };
const defaults: { readonly [tool: string]: Args } = {
  ViewFile: { lineNumbers: false },
  ListFiles: { path: ".", depth: 1 },
  FindFiles: { path: ".", type: "file", max: 500 },
  SearchFiles: { path: ".", regex: false, ignoreCase: false, contextLines: 0, max: 100 },
};
const group = () => fileTools({ roots: [{ path: root }], deny: [join(root, "data")] });
const text = (tool: string, args: Args) =>
  callForText(toolOf(group(), tool), { ...defaults[tool], ...args });

async function failure(tool: string, args: Args, from = group()): Promise<ToolErrorData> {
  const result = await call(toolOf(from, tool), { ...defaults[tool], ...args });
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

test("a file is read whole, unchanged, or by lines", async () => {
  assert.equal(await text("ViewFile", { path: "README.md" }), "# Title\nneedle here\nlast\n");
  assert.equal(
    await text("ViewFile", { path: join(root, "src/../README.md") }),
    "# Title\nneedle here\nlast\n",
  );
  assert.equal(
    await text("ViewFile", { path: "src/app.ts", startLine: 2, endLine: 3, lineNumbers: true }),
    "2\ttwo Needle\n3\tthree\n[Lines 2 to 3 of 6 lines. Read on with startLine 4.]",
  );
  assert.equal(await text("ViewFile", { path: "empty.txt" }), "");
  assert.equal(
    await text("ViewFile", { path: "link-in", endLine: 1 }),
    "one\n[Lines 1 to 1 of 6 lines. Read on with startLine 2.]",
  );
});

test("ranges outside of a file are errors that name the valid range", async () => {
  assert.match(
    (await failure("ViewFile", { path: "src/app.ts", startLine: 7 })).message,
    /has 6 lines/,
  );
  assert.equal(
    (await failure("ViewFile", { path: "README.md", startLine: 3, endLine: 2 })).code,
    "invalid_range",
  );
});

test("a byte order mark or the call sets the encoding, and invalid bytes are reported", async () => {
  assert.equal(await text("ViewFile", { path: "utf16.txt" }), "hé needle\n");
  assert.match(
    await text("ViewFile", { path: "latin1.txt" }),
    /^caf\uFFFD\n\[1 place cannot be read as utf-8.*windows-1252/,
  );
  assert.equal(await text("ViewFile", { path: "latin1.txt", encoding: "windows-1252" }), "café\n");
  assert.equal(
    (await failure("ViewFile", { path: "latin1.txt", encoding: "klingon" })).code,
    "unknown_encoding",
  );
});

test("binary files are rejected with type and size, and images are shown", async () => {
  assert.match(
    (await failure("ViewFile", { path: "doc.pdf" })).message,
    /"doc.pdf" cannot be converted to Markdown, because /,
  );
  assert.match((await failure("ViewFile", { path: "blob.bin" })).message, /binary data of 6 bytes/);
  const picture = await call<ContentParts>(toolOf(group(), "ViewFile"), {
    path: "dot.png",
    lineNumbers: false,
  });
  assert.deepEqual(picture.parts[1], {
    type: "image",
    mimeType: "image/png",
    source: { type: "base64", data: "iVBORw0KGgoAAA==" },
  });
});

test("no path leads outside the root", async () => {
  const outside = [
    "../outside/secret.txt",
    "src/../../outside/secret.txt",
    join(base, "outside/secret.txt"),
    "/etc/passwd",
    join(base, "root-evil/x.txt"),
    "../root-evil/x.txt",
    "link-out/secret.txt",
    "link-file",
    "src/up/link-file",
    "src/up/../outside/secret.txt",
  ];
  for (const path of outside) {
    const error = await failure("ViewFile", { path });
    assert.match(error.code, /outside_roots|not_found/, path);
    assert.doesNotMatch(JSON.stringify(error), /TOP SECRET/);
  }
  assert.equal(
    (await failure("ViewFile", { path: "../outside/secret.txt" })).code,
    "outside_roots",
  );
  assert.match((await failure("ViewFile", { path: "/etc/passwd" })).message, new RegExp(root));
  assert.equal((await failure("ListFiles", { path: "link-out" })).code, "outside_roots");
  assert.equal((await failure("FindFiles", { path: "..", glob: "*" })).code, "outside_roots");
  assert.equal(
    (await failure("SearchFiles", { path: "link-out", query: "x" })).code,
    "outside_roots",
  );
});

test("percent signs and backslashes are literal, and NUL is rejected", async () => {
  assert.equal(await text("ViewFile", { path: "%2e%2e" }), "a file with percent signs\n");
  assert.equal(
    (await failure("ViewFile", { path: "%2e%2e/outside/secret.txt" })).code,
    "not_found",
  );
  assert.equal((await failure("ViewFile", { path: "README.md\0.png" })).code, "invalid_path");
  assert.match(
    (await failure("ViewFile", { path: "..\\outside\\secret.txt" })).code,
    /not_found|outside_roots|hidden_path/,
  );
});

test("a path that no system can open is rejected before it is resolved", async () => {
  for (const [tool, more] of [
    ["ViewFile", {}],
    ["SearchFiles", { query: "x" }],
  ] as const) {
    const { code, message } = await failure(tool, { path: "a/".repeat(2_049), ...more });
    assert.equal(code, "invalid_path");
    assert.match(message, /^The path has 4098 characters; at most 4096 are allowed\./);
  }
  const { permission } = toolOf(group(), "ViewFile");
  const args = { path: "a/../".repeat(2_000) };
  assert.ok(permission?.canonicalArguments?.(args)["path"] === args.path);
});

test("hidden and denied files are not shown, by name, by link or by search", async () => {
  for (const path of [".env", "./.git/config", "link-hidden", "src/up/.env"]) {
    assert.equal((await failure("ViewFile", { path })).code, "hidden_path", path);
  }
  for (const path of ["data/private.txt", "data", "link-denied", "src/up/data/private.txt"]) {
    assert.equal((await failure("ViewFile", { path })).code, "not_found", path);
  }
  const found = await text("SearchFiles", { query: "needle", dependencies: true });
  assert.doesNotMatch(found, /TOP SECRET|\.env|data\//);
  assert.doesNotMatch(await text("ListFiles", { depth: 5 }), /\.env|private|\.git/);
  // Denied paths look as if they did not exist.
  const denied = await failure("ViewFile", { path: "data/private.txt" });
  const missing = await failure("ViewFile", { path: "dato/private.txt" });
  assert.equal(denied.message.replace("data/", "dato/"), missing.message);
});

test("dotfiles are shown if the configuration allows it", async () => {
  const open = fileTools({ roots: [{ path: root }], dotfiles: true });
  assert.match(await callForText(toolOf(open, "ViewFile"), { path: ".env" }), /TOP SECRET/);
  assert.match(await callForText(toolOf(open, "ListFiles"), { path: ".", depth: 1 }), /^\.env$/m);
});

test("the error for a missing file names similar files", async () => {
  assert.match((await failure("ViewFile", { path: "src/ap.ts" })).message, /Did you mean "app.ts"/);
  assert.match((await failure("ViewFile", { path: "scr/app.ts" })).message, /Use ListFiles/);
  assert.equal((await failure("ViewFile", { path: "src" })).code, "is_a_folder");
  assert.equal((await failure("ListFiles", { path: "README.md" })).code, "not_a_folder");
  assert.equal((await failure("ViewFile", { path: "loop" })).code, "link_loop");
  assert.match((await failure("ViewFile", { path: "README.md/x" })).code, /not_found/);
});

test("a folder is listed in order, with links marked and dependencies not entered", async () => {
  const listed = await text("ListFiles", { path: ".", depth: 2 });
  const lines = listed.split("\n");
  assert.match(lines[0]!, /^\.: \d+ files, 3 folders$/);
  assert.ok(lines.includes("node_modules/  (not listed; set dependencies)"));
  assert.ok(lines.includes("src/deep/"));
  assert.ok(!lines.includes("src/deep/util.ts"));
  assert.ok(lines.includes("link-out  (link)"));
  assert.deepEqual(
    lines
      .slice(1)
      .map((line) => line.replace(/ .*/, ""))
      .filter((line) => !line.includes("/")),
    [
      "%2e%2e",
      "README.md",
      "blob.bin",
      "doc.pdf",
      "dot.png",
      "empty.txt",
      "latin1.txt",
      "link-denied",
      "link-file",
      "link-hidden",
      "link-in",
      "link-out",
      "loop",
      "utf16.txt",
    ],
  );
  assert.match(
    await text("ListFiles", { path: "src", details: true }),
    /src\/app\.ts {2}\(42 bytes, 20\d\d-/,
  );
});

test("the list of a huge folder is truncated, and the other entries are counted", async () => {
  const many = await mkdtemp(join(base, "many-"));
  await Promise.all(Array.from({ length: 1005 }, (_, i) => writeFile(join(many, `f${i}`), "")));
  const tool = toolOf(fileTools({ roots: [{ path: many }] }), "ListFiles");
  assert.match(
    await callForText(tool, { path: ".", depth: 1 }),
    /^\.: 1,005 files[\s\S]*\[5 more are not shown/,
  );
});

test("files are found by glob, in order, without dependencies unless asked", async () => {
  assert.equal(await text("FindFiles", { glob: "*.ts" }), "src/app.ts\nsrc/deep/util.ts");
  assert.equal(await text("FindFiles", { glob: "*.js" }), "Nothing matches *.js.");
  assert.equal(
    await text("FindFiles", { glob: "*.js", dependencies: true }),
    "node_modules/pkg/index.js",
  );
  assert.equal(await text("FindFiles", { glob: "deep", type: "folder" }), "src/deep");
  assert.match(await text("FindFiles", { glob: "*", max: 2 }), /\[\d+ more paths not shown/);
});

test("lines are found literally, or by pattern, with context", async () => {
  const literal = await text("SearchFiles", {
    query: "needle",
    glob: "*.{ts,md}",
    contextLines: 1,
  });
  assert.equal(
    literal,
    "2 matching lines in 2 files; 3 files searched.\n\nREADME.md\n1- # Title\n2: needle here\n3- last\n\nsrc/app.ts\n4- four\n5: five needle\n6- six",
  );
  assert.match(
    await text("SearchFiles", { query: "NEEDLE", ignoreCase: true, path: "src/app.ts" }),
    /2 matching lines/,
  );
  assert.match(
    await text("SearchFiles", { query: "^t.*o\\b", regex: true }),
    /src\/app\.ts\n2: two Needle/,
  );
  assert.match(
    await text("SearchFiles", { query: "(.*", path: "src" }),
    /^No match; 2 files searched/,
  );
  assert.match(await text("SearchFiles", { query: "needle", path: "utf16.txt" }), /1: hé needle/);
  assert.match(
    await text("SearchFiles", { query: "needle", max: 1, path: "src" }),
    /1 matching line/,
  );
  assert.match(
    (await failure("SearchFiles", { query: "(?=a)", regex: true })).message,
    /lookahead/,
  );
});

test("texts that a shell would interpret are searched literally, and wrong numbers are rejected", async () => {
  const folder = await mkdtemp(join(base, "shell-"));
  await writeFile(join(folder, "a.txt"), "-rn; touch made\n$(touch made)\n");
  await mkdir(join(folder, "node_modules"));
  await writeFile(join(folder, "node_modules/b.txt"), "-rn\n");
  const executor = new ToolExecutor();
  executor.registerToolGroup(fileTools({ roots: [{ path: folder }] }));
  executor.toggleGroupEnabled("files", true);
  const textOf = async (name: string, args: object) => {
    const result = await executor.execute(name, JSON.stringify(args));
    return "finalText" in result ? result.finalText : result.status;
  };
  assert.match(await textOf("SearchFiles", { query: "-rn" }), /a\.txt\n1: -rn; touch made/);
  assert.match(await textOf("SearchFiles", { query: "$(touch" }), /2: \$\(touch made\)/);
  assert.doesNotMatch(await textOf("FindFiles", { glob: "$(touch made)" }), /a\.txt/);
  for (const [name, args] of [
    ["SearchFiles", { query: "a", max: "5; touch made" }],
    ["ListFiles", { path: ".", depth: "1 -exec touch made ;" }],
  ] as const)
    assert.match(await textOf(name, args), /invalid_arguments/, name);
  assert.deepEqual((await readdir(folder)).toSorted(), ["a.txt", "node_modules"]);
  // A folder that lists omit is listed if the call names it.
  assert.match(await textOf("ListFiles", { path: "node_modules" }), /b\.txt/);
});

test("a long line is shown around its match, and lines too long for a pattern are reported", async () => {
  const folder = await mkdtemp(join(base, "long-"));
  await writeFile(join(folder, "min.js"), `${"a".repeat(300_000)}needle${"b".repeat(300_000)}\n`);
  const tool = toolOf(fileTools({ roots: [{ path: folder }] }), "SearchFiles");
  const found = await callForText(tool, { ...defaults["SearchFiles"], query: "needle" });
  assert.ok(found.includes("needle") && found.length < 1000, found.slice(0, 200));
  const started = performance.now();
  const slow = await callForText(tool, {
    ...defaults["SearchFiles"],
    query: "(a?){500}a{500}$",
    regex: true,
  });
  assert.match(slow, /1 line too long for this pattern/);
  assert.ok(performance.now() - started < 10_000);
});

test("several roots have names, and a search without a path covers all of them", async () => {
  const two = fileTools({ roots: [{ path: root, name: "main" }, { path: join(base, "outside") }] });
  const run = (tool: string, args: Args) =>
    callForText(toolOf(two, tool), { ...defaults[tool], ...args });
  assert.match(await run("ListFiles", {}), /^main\/ .*\noutside\/ /m);
  assert.equal(await run("ViewFile", { path: "outside/secret.txt" }), `needle ${secret}\n`);
  assert.match(
    await run("FindFiles", { glob: "{app.ts,secret.txt}" }),
    /^main\/src\/app\.ts\noutside\/secret\.txt$/,
  );
  assert.match(
    (await failure("ViewFile", { path: "nowhere/x" }, two)).message,
    /main \(.*outside \(/,
  );
  assert.equal(
    (await failure("ViewFile", { path: "main/../outside/secret.txt" }, two)).code,
    "outside_roots",
  );
});

test("a missing root is reported", async () => {
  const gone = fileTools({ roots: [{ path: join(base, "gone") }] });
  assert.match(
    (await failure("ListFiles", { path: "." }, gone)).message,
    /root gone itself is missing/,
  );
  assert.match(
    (await failure("ListFiles", { path: "." }, fileTools({ roots: [] }))).message,
    /have no folders to read/,
  );
});

test("a pipe does not block the reader", { skip: process.platform === "win32" }, async () => {
  const pipe = join(root, "pipe");
  const makePipe = "mkfifo";
  execFileSync(makePipe, [pipe]);
  assert.equal((await failure("ViewFile", { path: "pipe" })).code, "not_a_file");
  assert.match(await text("SearchFiles", { query: "needle", path: "pipe" }), /No match/);
  await rm(pipe);
});

test("the opened file is checked, not the requested path", async () => {
  const roots = await fileRoots(
    { roots: [{ path: root }], deny: [join(root, "data")] },
    { paths: [], hosts: [] },
  );
  // Simulates files that become links after the check.
  for (const path of [
    "link-out/secret.txt",
    "link-file",
    "link-out",
    "data/private.txt",
    "link-denied",
  ]) {
    const opening = openAllowed(roots, { shown: path, real: join(root, path) });
    await assert.rejects(opening, (error) => error instanceof FileError, path);
  }
});

test("a folder that is replaced by a link while it is read never shows outside files", async () => {
  const folder = join(root, "swap");
  const aside = join(base, "aside");
  await mkdir(folder);
  await writeFile(join(folder, "secret.txt"), "harmless\n");
  let swapping = true;
  const swapper = (async () => {
    while (swapping) {
      await rename(folder, aside);
      await symlink(join(base, "outside"), folder);
      await rm(folder);
      await rename(aside, folder);
    }
  })();
  const view = toolOf(group(), "ViewFile");
  const search = toolOf(group(), "SearchFiles");
  try {
    for (let i = 0; i < 60; i++) {
      const seen = await Promise.all([
        call(view, { path: "swap/secret.txt", lineNumbers: false }),
        call(search, { ...defaults["SearchFiles"], query: "needle", path: "." }),
      ]);
      assert.doesNotMatch(JSON.stringify(seen), /TOP SECRET/);
    }
  } finally {
    swapping = false;
    await swapper;
  }
  await rm(folder, { recursive: true });
});

test("every tool stops when the call is cancelled", async () => {
  const signal = AbortSignal.abort(new Error("stopped"));
  const stopped = (tool: string, args: Args) =>
    assert.rejects(
      call(toolOf(group(), tool), { ...defaults[tool], ...args }, fakeContext({ signal })),
      /stopped/,
    );
  await stopped("ViewFile", { path: "README.md" });
  await stopped("ListFiles", {});
  await stopped("FindFiles", { glob: "*" });
  await stopped("SearchFiles", { query: "x" });
});

test("a large file is streamed: a range is read quickly, and the whole file is truncated", async () => {
  const path = join(root, "large.log");
  const line = `${"x".repeat(99)}\n`;
  await writeFile(path, line.repeat(50_000));
  // A sparse file, which uses no disk space and is too large to read at once.
  await truncate(path, 3 * 1024 ** 3);
  assert.match(
    await text("ViewFile", { path: "large.log", startLine: 3, endLine: 3 }),
    /Lines 3 to 3 of a file of 3 GB/,
  );
  const whole = await text("ViewFile", { path: "large.log" });
  assert.ok(whole.length <= 4 * 1024 * 1024 + 200);
  assert.match(whole, /Read on with startLine 41944\.\]$/);
  assert.match(await text("SearchFiles", { query: "needle" }), /1 file over 16 MB skipped/);
  await rm(path);
});
