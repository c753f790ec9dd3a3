import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
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
  // npm prefers a shrinkwrap to a lockfile, and runs programs that a project's .npmrc names.
  for (const name of ["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"])
    assert.ok(paths.includes(join(clone, name)), name);
  for (const name of ["packages", "node_modules", "scripts", ".git"])
    assert.ok(paths.includes(join(clone, name)), name);
});

test("in a root, no file can be changed or created that the server could run as another program", () => {
  const root = mkdtempSync(join(tmpdir(), "capstan-test-"));
  try {
    mkdirSync(join(root, ".venv/bin"), { recursive: true });
    writeFileSync(join(root, ".venv/pyvenv.cfg"), "");
    const paths = protectedPaths(
      {
        roots: [root],
        scripts: { folders: [], powershell: join(root, "pwsh/pwsh") },
        skills: [join(root, "skills")],
        settingsFile: join(root, "capstan.config.json"),
      },
      [join(root, ".venv/bin"), join(root, "node_modules/.bin"), "", ".", "bin"].join(delimiter),
    );
    const programs = [
      ".venv/bin",
      ".venv/lib",
      ".venv/pyvenv.cfg",
      "node_modules/.bin",
      "pwsh",
      "skills",
    ];
    for (const name of programs) assert.ok(paths.includes(join(root, name)), name);
    assert.ok(paths.every((path) => isAbsolute(path)));
  } finally {
    rmSync(root, { recursive: true });
  }
});
