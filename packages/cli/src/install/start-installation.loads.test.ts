import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

/** Collects the names of the installed packages whose files are loaded. */
const recordPackages = `
  import { registerHooks } from "node:module";
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  const [folder, ...modules] = process.argv.slice(1);
`;

/** Starts a server as `capstan serve` does, and stops it. */
const startServer = `
  const [serve, load, start] = await Promise.all(modules.map((module) => import(module)));
  const loaded = await load.loadConfiguration({
    directory: folder,
    environment: {},
    flags: { data: folder, port: "0" },
  });
  const { configuration } = loaded;
  const server = await start.startInstallation({ configuration, environment: {} });
  await fetch(server.url + "/healthz");
  await server.close({ graceMs: 0 });
`;

/** Runs a script that loads modules of this package, and returns the packages that it loaded. */
async function packagesOf(script: string, modules: readonly string[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-loads-"));
  try {
    const source = `${recordPackages}${script}process.stdout.write(JSON.stringify([...packages].sort()));`;
    const args = ["--conditions=@capstan/source", "-e", source];
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [...args, folder, ...modules]);
    return JSON.parse(stdout) as readonly string[];
  } finally {
    await rm(folder, { recursive: true });
  }
}

// A package that only some servers or requests need is imported by the code that needs it, with
// `await import()`. Each eager import costs time and memory at every start.
test("starting a server loads only the packages that every server needs", async () => {
  const modules = [
    "../commands/serve.ts",
    "../configuration/load-configuration.ts",
    "start-installation.ts",
  ].map((file) => new URL(file, import.meta.url).href);
  assert.deepEqual(await packagesOf(startServer, modules), [
    "@hono/node-server",
    "@noble/hashes",
    "hono",
    "ipaddr.js",
    "zod",
  ]);
});

test("a thread of the store does not load the whole library", async () => {
  const base = import.meta.resolve("@capstan/core/base");
  const packages = await packagesOf("await import(modules[0]);", [base]);
  assert.deepEqual(packages, ["@noble/hashes"]);
});
