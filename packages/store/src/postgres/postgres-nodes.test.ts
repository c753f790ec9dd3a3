import assert from "node:assert/strict";
import { test } from "node:test";
import { withTwoNodes } from "../testing/every-store.ts";
import { findPostgres } from "../testing/postgres-server.ts";
import { createRun, event } from "../testing/store-fixtures.ts";

const postgres = findPostgres();

const options = { skip: postgres.status === "missing" && postgres.reason };

const note = event({ type: "run.heartbeat", at: 1 });

// Contract: durability-54
test(
  "other nodes claim the runs of a node that was declared dead, which learns of it with its next heartbeat",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      assert.ok(one.nodes !== undefined && other.nodes !== undefined);
      await createRun(one, { id: "r" });
      await createRun(other, { id: "s" });
      assert.deepEqual(await other.everyOrphan(), []);
      const before = (await other.nodes.list()).find(({ id }) => id === one.nodes?.self);
      assert.ok(before !== undefined);
      assert.equal(await one.nodes.heartbeat(), true);
      assert.equal(
        await other.nodes.declareDead(before),
        false,
        "the node has sent a heartbeat since",
      );
      assert.equal(await other.nodes.declareDead({ ...before, beats: before.beats + 1 }), true);
      assert.deepEqual(
        (await other.everyOrphan()).map(({ id }) => id),
        ["r"],
      );
      await other.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
      assert.deepEqual(await other.everyOrphan(), []);
      assert.equal(await one.nodes.heartbeat(), false);
      const [late] = await one.write([{ type: "journal", runId: "r", epoch: 1, writes: [note] }]);
      assert.equal(late.status, "fenced");
    });
  },
);
