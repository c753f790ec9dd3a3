import assert from "node:assert/strict";
import { test } from "node:test";
import { findPostgres } from "../testing/postgres-server.ts";
import { withDatabase } from "../testing/every-store.ts";
import { commit, createRun, end, grantOf, owner, start } from "../testing/store-fixtures.ts";
import { checkedTables } from "../schema/row-checksums.ts";
import { checkStore } from "../upkeep/maintenance.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

const noSwitches = { groups: {}, tools: {} };

// Contract: durability-58
test(
  "a check of PostgreSQL finds corrupt rows and inputs, even after an update",
  options,
  async () => {
    await withDatabase(async (client, databaseUrl) => {
      const problems = async () => (await checkStore({ dataDir: "", databaseUrl })).problems;
      const store = await openPostgresStore({ connectionString: databaseUrl });
      try {
        const long = "x".repeat(100_000);
        await createRun(store, {
          id: "r",
          input: [{ type: "message", role: "user", content: long }],
        });
        await commit(store, "r", [start("i"), end("i", "text")]);
        const grant = grantOf("g", { scope: "always" });
        const conversation = { id: "c", owner, title: "t", metadata: {}, switches: noSwitches };
        await store.write([
          { type: "create-grant", owner, sessionId: null, grant },
          { type: "create-conversation", ...conversation },
        ]);
        assert.deepEqual(await problems(), []);
        // Without the trigger, the update does not change the row's checksum.
        for (const table of checkedTables)
          await client.query(`ALTER TABLE ${table} ALTER COLUMN checksum DROP EXPRESSION`);
        await client.query("UPDATE conversations SET title = 'u'");
        await client.query("UPDATE grants SET session_id = 'other'");
        await client.query("UPDATE run_journal SET events = replace(events, 'text', 'tex_')");
        await client.query(
          "UPDATE blob_pieces SET piece = set_bit(piece, 9, 1 - get_bit(piece, 9))",
        );
        const found = await problems();
        assert.match(found.join("\n"), /Row c of the table conversations is corrupt/);
        assert.match(found.join("\n"), /Row g of the table grants is corrupt/);
        assert.match(found.join("\n"), /Row 1\/2\/0 of the table run_journal is corrupt/);
        assert.match(found.join("\n"), /An input of run r is corrupt/);
        assert.deepEqual((await store.listConversations({ owner })).data, [
          { id: "c", isCorrupt: true },
        ]);
        assert.deepEqual(await store.readGrants({ owner, sessionId: "other" }), []);
        await assert.rejects(store.readEventsCompact({ owner, runId: "r" }), {
          code: "database_corrupt",
        });
        // The checksum of the changed row is right again, and the damage is recorded.
        await client.query("UPDATE conversations SET title = 't'");
        assert.match((await problems()).join("\n"), /Row c of the table conversations is corrupt/);
      } finally {
        await store.close();
      }
    });
  },
);
