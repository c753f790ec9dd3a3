import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { withTwoNodes } from "../src/testing/every-store.ts";
import { findPostgres, testServer } from "../src/testing/postgres-server.ts";
import {
  commit,
  createRun,
  delta,
  end,
  event,
  owner,
  resultOf,
  start,
} from "../src/testing/store-fixtures.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const note = event({ type: "run.heartbeat", at: 1 });

test(
  "pages of many runs that are requested together equal separate pages, as of one moment",
  options,
  async () => {
    await withTwoNodes(async (store, other) => {
      // An ended run, a run with an unfinished item, a run without events, and a run of another
      // owner.
      for (const id of ["ended", "open", "new"]) await createRun(store, { id });
      await createRun(store, { id: "foreign", owner: "somebody" });
      await commit(store, "ended", [start("i"), delta("i", "a"), delta("i", "b")]);
      await commit(store, "ended", [delta("i", "c"), end("i", "abc"), note, resultOf("completed")]);
      await commit(store, "open", [note, start("i"), delta("i", "x")]);
      await commit(store, "open", [delta("i", "y")]);
      const query = fc.record({
        runId: fc.constantFrom("ended", "open", "new", "foreign", "none"),
        after: fc.nat(8),
        limit: fc.integer({ min: 1, max: 8 }),
        size: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(query, { minLength: 1, maxLength: 12 }), async (queries) => {
          const together = await Promise.all(
            queries.map(({ size, ...each }) =>
              other.readEventPage({ owner, ...each, ...(size !== undefined && { size }) }),
            ),
          );
          for (const [index, { runId, after, limit }] of queries.entries()) {
            const page = together[index];
            const all = (await other.readEvents({ owner, runId })) ?? [];
            const isThere = runId !== "foreign" && runId !== "none";
            assert.equal(page !== undefined, isThere, runId);
            if (page === undefined) continue;
            const asked = all.slice(after, after + limit);
            assert.deepEqual(page.events, asked.slice(0, page.events.length));
            if (page.events.length < asked.length) assert.ok(page.full && page.events.length > 0);
            // A page from the cache does not say whether the run has ended.
            if (!page.full) assert.equal(page.ended, runId === "ended");
          }
        }),
        { numRuns: 40 },
      );
    });
  },
);

test(
  "corrupt events fail only the reads of their run, and not others at the same time",
  options,
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const store = await openPostgresStore({ connectionString });
    try {
      for (const id of ["corrupt", "whole"]) {
        await createRun(store, { id });
        await commit(store, id, [note]);
      }
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(
        "UPDATE run_journal SET events = '{' WHERE run_n = (SELECT n FROM runs WHERE id = 'corrupt')",
      );
      await client.end();
      const read = (runId: string) => store.readEventPage({ owner, runId, after: 0, limit: 8 });
      const [corrupt, whole] = await Promise.allSettled([read("corrupt"), read("whole")]);
      assert.equal(corrupt.status, "rejected");
      assert.equal(whole.status, "fulfilled");
    } finally {
      await store.close();
    }
  },
);
