import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "@capstan/core/host";
import { readLock } from "../src/sqlite/data-lock.ts";
import { migrate } from "../src/sqlite/migrate.ts";
import { openStore, storeOnConnection } from "../src/sqlite/open-store.ts";
import { SqliteConnection } from "../src/sqlite/sqlite-connection.ts";
import {
  commit,
  createRun,
  delta,
  end,
  event,
  owner,
  start,
  variableOf,
  withDataDir,
} from "../src/testing/store-fixtures.ts";

/**
 * Starts a process that writes, kills it after a number of commits, and returns the last numbers
 * that it reported.
 */
async function writeAndKill(dataDir: string, commits: number): Promise<Map<string, number>> {
  const script = fileURLToPath(new URL("./writing-process.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const confirmed = new Map<string, number>();
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, runId = "", seq] = /^(\S+) (\d+)\.$/.exec(line) ?? [];
    if (seq !== undefined) confirmed.set(runId, Number(seq));
    if (++lines === commits) child.kill("SIGKILL");
  }
  if (child.signalCode === null) await once(child, "exit");
  return confirmed;
}

// Contract: durability-1
test("after a kill during a commit all confirmed events are stored without a gap, and open items continue", async () => {
  await withDataDir(async (dataDir) => {
    const confirmed = await writeAndKill(dataDir, 300);
    assert.equal(confirmed.size, 8);
    assert.equal(await readLock(dataDir), undefined, "the lock ended with its process");
    const store = await openStore({ dataDir });
    try {
      const left = await store.everyRunIn({ status: "in_progress" });
      assert.equal(left.length, 8);
      for (const run of left) {
        const query = { owner, runId: run.id };
        const events = (await store.readEvents({ ...query, limit: 10_000 })) ?? [];
        assert.deepEqual(
          events.map(({ seq }) => seq),
          events.map((_, index) => index + 1),
        );
        assert.ok(events.length >= (confirmed.get(run.id) ?? 0), "no confirmed event is lost");
        assert.equal((await store.getRun({ owner, id: run.id }))?.lastSeq, events.length);
        const compact = await store.readEventsCompact(query);
        assert.equal(compact?.lastSeq, events.length);
        const open = compact.events.find((each) => each.type === "item.delta");
        const [claimed] = await store.write([{ type: "claim-run", runId: run.id }]);
        assert.equal(claimed.status, "claimed");
        const closing = open === undefined ? [] : [end(open.itemId, open.delta)];
        const after = await commit(
          store,
          run.id,
          [...closing, event({ type: "run.interrupted", at: 1, message: "" })],
          2,
        );
        assert.equal(after[0]?.seq, events.length + 1);
        assert.deepEqual(
          (await store.readEvents({ ...query, limit: 10_000 }))?.slice(0, events.length),
          events,
        );
      }
    } finally {
      await store.close();
    }
    const database = new DatabaseSync(join(dataDir, "capstan.db"), { readOnly: true });
    assert.deepEqual(
      { ...database.prepare("PRAGMA integrity_check").get() },
      { integrity_check: "ok" },
    );
    assert.deepEqual(
      { ...database.prepare("SELECT COUNT(*) AS rows FROM tail").get() },
      { rows: 0 },
    );
    database.close();
  });
});

// Contract: durability-24
test("on a full disk only writes that do not fit fail, with the reason", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  await createRun(store, { id: "r" });
  await commit(store, "r", [start("i"), delta("i", "a")]);
  const pages = sql.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  sql.exec(`PRAGMA max_page_count = ${pages + 4}`);
  const change = { type: "set", variable: variableOf("v", "x".repeat(200_000)) } as const;
  const writes = [delta("i", "lost"), { type: "variable", change } as const];
  await assert.rejects(store.write([{ type: "journal", runId: "r", epoch: 1, writes }]), {
    code: "disk_full",
    message: /make room/,
  });
  await createRun(store, { id: "s" });
  // The run is claimed again: its journal has no gap.
  await store.write([{ type: "claim-run", runId: "r" }]);
  assert.equal((await commit(store, "r", [delta("i", "b")], 2))[0]?.seq, 3);
  assert.deepEqual(
    (await store.readEvents({ owner, runId: "r" }))?.map(({ seq }) => seq),
    [1, 2, 3],
  );
  await store.close();
});

test("many runs that write at the same time keep all their events", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir });
    const runs = Array.from({ length: 100 }, (_, n) => `r${n}`);
    await Promise.all(runs.map((id) => createRun(store, { id })));
    await Promise.all(runs.map((id) => commit(store, id, [start("i")])));
    for (let round = 0; round < 20; round++)
      await Promise.all(runs.map((id) => commit(store, id, [delta("i", " hello world")])));
    for (const runId of runs)
      assert.equal((await store.readEvents({ owner, runId }))?.length, 21, runId);
    await store.close();
  });
});
