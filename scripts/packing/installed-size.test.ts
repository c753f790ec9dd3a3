import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { installedSizes } from "./installed-size.ts";

test("a package's size includes all its files, and scoped packages are reported by full name", async (t) => {
  const project = await mkdtemp(join(tmpdir(), "capstan-size-"));
  t.after(() => rm(project, { recursive: true, force: true }));
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "one/deep"), { recursive: true });
  await mkdir(join(modules, "@scope/two"), { recursive: true });
  await writeFile(join(modules, "one/deep/file"), Buffer.alloc(100_000));
  await writeFile(join(modules, "@scope/two/file"), Buffer.alloc(20_000));
  const sizes = await installedSizes(project);
  assert.ok((sizes.get("one") ?? 0) >= 100_000);
  assert.ok((sizes.get("@scope/two") ?? 0) >= 20_000);
  assert.ok((sizes.get("@scope/two") ?? 0) < 100_000);
});
