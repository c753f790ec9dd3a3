import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import type { NodeMessage } from "../records/nodes.ts";
import { findPostgres, testServer } from "../testing/postgres-server.ts";
import { withTwoNodes } from "../testing/every-store.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { channel } from "./wire/notification.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

test(
  "a notification that cannot be parsed is ignored, and the next one is received",
  options,
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const store = await openPostgresStore({ connectionString });
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      const received = Promise.withResolvers<NodeMessage>();
      store.nodes?.subscribe(received.resolve);
      const known = { by: "another", runs: ["r"] };
      for (const payload of ["", "{", "null", '{"runs":7}', JSON.stringify(known)])
        await client.query("SELECT pg_notify($1, $2)", [channel, payload]);
      assert.deepEqual(await received.promise, { type: "changed", runIds: ["r"] });
    } finally {
      await client.end();
      await store.close();
    }
  },
);

test("a node learns at once that a connection changed at another node", options, () =>
  withTwoNodes(async (one, other) => {
    const heard: NodeMessage[] = [];
    const changed = Promise.withResolvers<void>();
    other.nodes?.subscribe((message) => {
      heard.push(message);
      if (heard.length === 3) changed.resolve();
    });
    const save = { type: "save-connection", name: "tickets", by: "ann", settings: {} } as const;
    const key = { connection: "tickets", owner: "" };
    const secret = {
      type: "save-credential",
      sealed: "s",
      state: "ready",
      expiresAt: null,
    } as const;
    await one.write([{ ...save, isNew: true }]);
    // A user's own credential is read by each request.
    await one.write([{ ...secret, key: { ...key, field: "credential" } }]);
    await one.write([{ ...secret, key: { ...key, field: "settings" } }]);
    await one.write([{ type: "delete-connection", name: "tickets" }]);
    await changed.promise;
    assert.deepEqual(
      heard,
      Array.from({ length: 3 }, () => ({ type: "connections" })),
    );
  }),
);
