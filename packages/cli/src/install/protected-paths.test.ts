import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { protectedPaths } from "./protected-paths.ts";

test("in a clone, no file that npm reads to start or install the server can be changed or created", () => {
  const clone = fileURLToPath(new URL("../../../..", import.meta.url));
  const paths = protectedPaths({
    roots: [clone],
    scripts: { folders: [] },
    settingsFile: join(clone, "capstan.config.json"),
  });
  // npm prefers a shrinkwrap to a lockfile, and runs what a project's .npmrc names.
  for (const name of ["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"])
    assert.ok(paths.includes(join(clone, name)), name);
  for (const name of ["packages", "node_modules", "scripts", ".git"])
    assert.ok(paths.includes(join(clone, name)), name);
});
