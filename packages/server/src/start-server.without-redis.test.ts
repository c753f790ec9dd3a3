import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** Imports the server, and says which modules of the queue came with it. */
const script = `
  import { createRequire } from "node:module";
  await import(process.argv[1]);
  const { cache } = createRequire(import.meta.url);
  const loaded = Object.keys(cache).filter((path) => /bullmq|ioredis/.test(path));
  process.stdout.write(JSON.stringify({ others: Object.keys(cache).length > 0, loaded }));
`;

test("a server that is started without Redis loads nothing of the queue", async () => {
  const server = new URL("./start-server.ts", import.meta.url).href;
  const args = ["--conditions=@capstan/source", "--input-type=module", "-e", script, server];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  // PostgreSQL's driver is of the same kind, and is seen.
  assert.deepEqual(JSON.parse(stdout), { others: true, loaded: [] });
});
