import assert from "node:assert/strict";
import { test } from "node:test";
import { errorMessage, newId } from "@capstan/core/host";
import type { StoreWrite } from "../../records/store-writes.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { delta, newRun, start } from "../../testing/store-fixtures.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { connectPostgresWriter, startPostgresWriter } from "./start-postgres-writer.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

test(
  "a thread of its own says of each call what a writer on the caller's thread says",
  options,
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const store = await openPostgresStore({ connectionString, writerThread: false });
    const address = { connectionString, applicationName: "test" };
    const said = [];
    for (const startWriter of [startPostgresWriter, connectPostgresWriter]) {
      const runId = newId("run_");
      const journal = { type: "journal", runId, epoch: 1, writes: [start("i"), delta("i", "é\n")] };
      const calls: readonly (readonly StoreWrite[])[] = [
        [{ type: "create-run", run: newRun({ id: runId }) }, journal as StoreWrite],
        [{ ...journal, epoch: 7 } as StoreWrite],
        [{ type: "claim-run", runId: "nobody's" }],
      ];
      const writer = await startWriter({ address, writerId: newId("node_") });
      const results = await writer.commit(calls.map((writes) => ({ at: 1, writes })));
      await writer.stop();
      said.push(JSON.parse(JSON.stringify(results).replaceAll(runId, "r")));
    }
    const [inThread, here] = said;
    assert.deepEqual(inThread, here);
    await store.close();
  },
);

test(
  "what a thread is given at once and one after the other is all done before it stops",
  options,
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const store = await openPostgresStore({ connectionString });
    const ids = Array.from({ length: 40 }, () => newId("run_"));
    const made = ids.map((id) => store.write([{ type: "create-run", run: newRun({ id }) }]));
    await store.close();
    const outcomes = (await Promise.all(made)).flat();
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(["created"]));
  },
);

test("a thread that cannot connect says why, and ends", options, async () => {
  const connectionString = "postgres://capstan:secret-word@127.0.0.1:1/postgres";
  const address = { connectionString, applicationName: "test" };
  await assert.rejects(startPostgresWriter({ address, writerId: "node_t" }), (thrown) => {
    assert.equal((thrown as { code?: unknown }).code, "database_unreachable");
    assert.match(errorMessage(thrown), /127\.0\.0\.1:1\/postgres/);
    assert.doesNotMatch(errorMessage(thrown), /secret-word/);
    return true;
  });
});

test("a thread whose writer may not write says why, and ends", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString, writerThread: false });
  await store.close();
  const readOnly = `${connectionString}%20-c%20default_transaction_read_only%3Don`;
  const address = { connectionString: readOnly, applicationName: "test" };
  await assert.rejects(startPostgresWriter({ address, writerId: "node_t" }), {
    code: "database_refused",
  });
});
