import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** Imports a module, and prints the packages that came with it. */
const script = `
  import { registerHooks } from "node:module";
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      packages.add(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
  process.stdout.write(JSON.stringify([...packages]));
`;

/** Returns the names of the installed packages that a module loads. */
async function packagesOf(module: string): Promise<readonly string[]> {
  const args = ["--conditions=@capstan/source", "--input-type=module", "-e", script, module];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as readonly string[];
}

test("modules that only some servers need are not loaded at the start", async () => {
  const packages = await packagesOf(new URL("start-installation.ts", import.meta.url).href);
  assert.ok(packages.includes("hono"));
  const lazy =
    /^(@ai-sdk\/|bullmq|gpt-tokenizer|ioredis|isolated-vm|linkedom|pg$|re2js|refa|undici|vite)/;
  assert.deepEqual(
    packages.filter((name) => lazy.test(name)),
    [],
  );
});

test("a thread of the store does not load the whole library", async () => {
  const packages = await packagesOf(import.meta.resolve("@capstan/core/base"));
  assert.ok(packages.includes("@noble/hashes"));
  assert.deepEqual(
    packages.filter((name) => name === "typebox" || name === "zod"),
    [],
  );
});
