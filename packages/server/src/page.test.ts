import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Hono } from "hono";
import { loadPage } from "./page.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-page-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("a page that is not built yet says so, and is served once it is", async () => {
  const root = join(folder, "dist");
  const page = await loadPage(root);
  const app = new Hono().use(page.serve);
  const early = await app.request("/");
  assert.equal(early.status, 503);
  assert.equal(early.headers.get("refresh"), "1");
  await mkdir(join(root, "assets"), { recursive: true });
  await writeFile(join(root, "index.html"), "<p>one</p>");
  await writeFile(join(root, "assets/a.js"), "1");
  await page.reload();
  const served = await app.request("/");
  assert.equal(await served.text(), "<p>one</p>");
  assert.match(served.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.match((await app.request("/assets/a.js")).headers.get("cache-control") ?? "", /immutable/);
});

test("what lies beside the page's folder is not served", async () => {
  const root = join(folder, "page");
  await mkdir(root);
  await writeFile(join(root, "index.html"), "page");
  await writeFile(join(folder, "secret.txt"), "secret");
  const app = new Hono().use((await loadPage(root)).serve);
  for (const path of ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"])
    assert.equal((await app.request(path)).status, 404, path);
});
