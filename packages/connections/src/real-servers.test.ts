import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findSandbox } from "@capstan/sandbox";
import { textOf } from "./testing/read-results.ts";
import { executorOf, programConnection, testConnections } from "./testing/test-connections.ts";

// The published reference servers, as programs in the sandbox.

const { sandbox, problem } = await findSandbox();
const skip = problem?.message ?? false;
const programs = fileURLToPath(new URL("../../../node_modules/.bin/", import.meta.url));

test("published servers run in the sandbox, and reach only their folders", { skip }, async () => {
  const notes = mkdtempSync(join(tmpdir(), "capstan-notes-"));
  writeFileSync(join(notes, "list.md"), "Buy milk");
  await using connections = testConnections({
    sandbox,
    connections: [
      programConnection({
        name: "notes",
        command: join(programs, "mcp-server-filesystem"),
        args: [notes],
        read: [notes],
      }),
      programConnection({
        name: "everything",
        command: join(programs, "mcp-server-everything"),
        args: ["stdio"],
      }),
    ],
  });
  await connections.check();
  assert.deepEqual(
    connections.status().map(({ error, notes: problems }) => [error, problems]),
    [
      [undefined, []],
      [undefined, []],
    ],
  );
  const executor = executorOf(connections);
  const run = async (name: string, args = {}) => textOf(await executor.execute(name, args));
  assert.match(await run("read_text_file", { path: join(notes, "list.md") }), /Buy milk/);
  assert.match(await run("read_text_file", { path: "/etc/hostname" }), /server_error.*outside/s);
  assert.match(await run("write_file", { path: join(notes, "a"), content: "x" }), /read-only/i);
  assert.match(await run("get-sum", { a: 2, b: 3 }), /is 5/);
  assert.equal(readFileSync(join(notes, "list.md"), "utf8"), "Buy milk");
  const image = await executor.execute("get-tiny-image", {});
  assert.ok("parts" in image && image.parts?.some(({ type }) => type === "image"));
  rmSync(notes, { recursive: true, force: true });
});
