import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { servePage } from "./page.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-page-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("a server without a built page says so, and serves the page after it is built", async () => {
  const root = join(folder, "dist");
  const app = servePage(root);
  const early = await app.request("/");
  assert.equal(early.status, 503);
  assert.equal(early.headers.get("refresh"), "1");
  await mkdir(join(root, "assets"), { recursive: true });
  await writeFile(join(root, "index.html"), "<p>one</p>");
  await writeFile(join(root, "assets/a.js"), "1");
  const served = await app.request("/");
  assert.equal(await served.text(), "<p>one</p>");
  assert.match(served.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.match((await app.request("/assets/a.js")).headers.get("cache-control") ?? "", /immutable/);
});

test("files outside the page's folder are not served", async () => {
  const root = join(folder, "page");
  await mkdir(root);
  await writeFile(join(root, "index.html"), "page");
  await writeFile(join(folder, "secret.txt"), "secret");
  const app = servePage(root);
  for (const path of ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"])
    assert.equal((await app.request(path)).status, 404, path);
});

test("a file is served in a form that the client accepts, with its own tag and length", async () => {
  const root = join(folder, "compressed");
  await mkdir(join(root, "assets"), { recursive: true });
  const bodies = { "": "the script", ".br": "as brotli", ".gz": "gzipped" };
  for (const [end, body] of Object.entries(bodies))
    await writeFile(join(root, `assets/a.js${end}`), body);
  const app = servePage(root);
  const get = (accept: string, method = "GET", headers: { [name: string]: string } = {}) =>
    app.request("/assets/a.js", { method, headers: { "Accept-Encoding": accept, ...headers } });
  for (const [accept, encoding, body] of [
    ["gzip, br", "br", "as brotli"],
    ["gzip", "gzip", "gzipped"],
    ["", null, "the script"],
  ] as const) {
    const served = await get(accept);
    assert.equal(served.headers.get("content-encoding"), encoding);
    assert.equal(served.headers.get("content-length"), String(body.length));
    assert.equal(served.headers.get("vary"), "Accept-Encoding");
    assert.match(served.headers.get("content-type") ?? "", /javascript/);
    assert.equal(await served.text(), body);
    const tag = served.headers.get("etag") ?? "";
    const head = await get(accept, "HEAD");
    assert.equal(head.headers.get("content-length"), String(body.length));
    assert.equal(await head.text(), "");
    assert.equal((await get(accept, "GET", { "If-None-Match": tag })).status, 304);
    assert.equal(
      (await get("deflate", "GET", { "If-None-Match": tag })).status,
      encoding === null ? 304 : 200,
    );
  }
  assert.equal((await app.request("/assets/a.js.br")).status, 404);
});
