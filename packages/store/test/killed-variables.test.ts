import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Store } from "../src/live/store.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { openStore } from "../src/sqlite/open-store.ts";
import { withDatabase } from "../src/testing/every-store.ts";
import { findPostgres } from "../src/testing/postgres-server.ts";
import { owner, valueOf, withDataDir } from "../src/testing/store-fixtures.ts";
import { largeText } from "./large-text.ts";

/** The numbers of commits after which the process is killed. */
const rounds = [1, 8];

/** Starts a process that writes, kills it, and returns the last number that each run reported. */
async function writeAndKill(
  target: readonly string[],
  commits: number,
): Promise<ReadonlyMap<string, number>> {
  const script = fileURLToPath(new URL("./writing-variables.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, ...target], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const confirmed = new Map<string, number>();
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, runId = "", n] = /^(\S+) (\d+)\.$/.exec(line) ?? [];
    if (n !== undefined) confirmed.set(runId, Number(n));
    if (++lines === commits) child.kill("SIGKILL");
  }
  if (child.signalCode === null) await once(child, "exit");
  return confirmed;
}

/** Checks that each variable has a whole value, and that no confirmed value is missing. */
async function checkVariables(store: Store, confirmed: ReadonlyMap<string, number>): Promise<void> {
  for (const runId of ["one", "two", "three"]) {
    const last = confirmed.get(runId) ?? -1;
    const manifest = (await store.readManifest({ owner, runId })) ?? {};
    const { last: newest, ...others } = manifest;
    const numbers = Object.keys(others).map((name) => Number(name.slice(1)));
    assert.ok(numbers.length >= last + 1, `${runId}: a confirmed variable is missing`);
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      numbers.map((_, index) => index),
    );
    for (const n of numbers) {
      const value = await valueOf(store, others[`v${n}`]);
      // An assertion would print both texts.
      assert.ok(value?.text === largeText(runId, n), `${runId} v${n} is not whole`);
    }
    if (numbers.length === 0) continue;
    const text = (await valueOf(store, newest))?.text;
    assert.ok(text === largeText(runId, numbers.length - 1), `${runId} last is not whole`);
  }
}

test("after a kill, each large variable is whole or absent (SQLite)", async () => {
  for (const commits of rounds)
    await withDataDir(async (dataDir) => {
      const confirmed = await writeAndKill(["sqlite", dataDir], commits);
      const store = await openStore({ dataDir });
      try {
        await checkVariables(store, confirmed);
      } finally {
        await store.close();
      }
    });
});

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;

test("after a kill, each large variable is whole or absent (PostgreSQL)", { skip }, async () => {
  for (const commits of rounds)
    await withDatabase(async (_client, connectionString) => {
      const confirmed = await writeAndKill(["postgres", connectionString], commits);
      const store = await openPostgresStore({ connectionString, connections: 2 });
      try {
        await checkVariables(store, confirmed);
      } finally {
        await store.close();
      }
    });
});
