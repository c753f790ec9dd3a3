import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Store } from "../src/live/store.ts";
import { checkedTables } from "../src/schema/row-checksums.ts";
import { migrate } from "../src/sqlite/migrate.ts";
import { storeOnConnection } from "../src/sqlite/open-store.ts";
import { SqliteConnection } from "../src/sqlite/sqlite-connection.ts";
import { bulkTable } from "../src/sql/tables.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  event,
  grantOf,
  owner,
  resultOf,
  settableClock,
  variableOf,
} from "../src/testing/store-fixtures.ts";

/** Contents of a corrupt cell: other texts, numbers that JavaScript cannot represent, other types. */
const contents = ["''", "'x'", "'['", "-1", "9007199254740993", "1e300", "x'ff00ff'", "NULL"];

const ids = ["a", "b", "c"];

async function fill(store: Store): Promise<void> {
  const switches = { groups: {}, tools: {} };
  for (const id of ids) {
    const conversation = { type: "create-conversation", owner, metadata: {}, switches } as const;
    await store.write([{ ...conversation, id, title: id }]);
    await createRun(store, { id, conversationId: id });
    const approval = approvalRequest(`approval-${id}`);
    const variable = variableOf("v", "long ".repeat(400));
    const grant = grantOf(`grant-${id}`, { scope: "always" });
    const change = { execution: "ask-always" } as const;
    await commit(store, id, [
      event({ type: "approval.requested", callId: approval.callId, approval }),
      {
        type: "call",
        call: callRecord(`call-${id}`, { toolId: "files.ViewFile", status: "outcome_unknown" }),
      },
      { type: "variable", change: { type: "set", variable } },
    ]);
    await store.write([
      { type: "create-grant", owner, sessionId: null, grant },
      { type: "change-override", owner, tool: `${id}.*`, change },
      { type: "save-agent", owner, name: id, agent: { title: id }, isNew: true },
    ]);
    await commit(store, id, [resultOf("completed")]);
  }
}

const lists = (store: Store) => ({
  runs: () => store.searchRuns({ owner }),
  "runs of unknown outcome": () => store.searchRuns({ owner, outcome: "unknown" }),
  "runs of a conversation": () => store.listRuns({ owner, conversationId: "b" }),
  conversations: () => store.listConversations({ owner }),
  approvals: () => store.listApprovals({ owner }),
  grants: () => store.listGrants({ owner }),
  calls: async () => ({
    data: (await store.listCalls({ owner, group: "files", limit: 100 })).calls,
  }),
  overrides: () => store.listOverrides({ owner }),
  agents: () => store.listAgents({ owner }),
});

/**
 * An entry without the status of a conversation's last run, because that status is stored in
 * another row.
 */
function textOf(entry: object): string {
  return "isCorrupt" in entry ? "corrupt" : JSON.stringify({ ...entry, headStatus: null });
}

// Contract: durability-56
test("a corrupt cell of any table and column makes no list fail, hides no other row, and is never shown", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 0);
  const store = storeOnConnection(sql, settableClock());
  await fill(store);
  sql.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  const whole = new Set<string>();
  for (const [name, reading] of Object.entries(lists(store))) {
    const found = await reading();
    for (const entry of "data" in found ? found.data : found) whole.add(`${name} ${textOf(entry)}`);
  }
  const failures: string[] = [];
  let damages = 0;
  for (const table of checkedTables) {
    const { columns, later, sequence } = bulkTable(table);
    const [row] = sql.all<{ id: number }>(
      `SELECT rowid AS id FROM ${table} ORDER BY rowid LIMIT 1 OFFSET 1`,
    );
    if (row === undefined) continue;
    for (const column of Object.keys({ ...columns, ...later, ...sequence }))
      for (const content of contents) {
        sql.exec("SAVEPOINT damage");
        const what = `${table}.${column} = ${content}`;
        try {
          sql.exec(`UPDATE ${table} SET ${column} = ${content} WHERE rowid = ${row.id}`);
          damages += 1;
          for (const [name, reading] of Object.entries(lists(store)))
            try {
              const found = await reading();
              const data: readonly object[] = "data" in found ? found.data : found;
              for (const entry of data) {
                const text = textOf(entry);
                // A row with a corrupt key cannot be found. Only the check of the database reports
                // it.
                const isKnown = text === "corrupt" || whole.has(`${name} ${text}`);
                if (!isKnown && column !== "run_n" && column !== "seq")
                  failures.push(`${what}: ${name}: ${text}`);
              }
              if (name !== "runs of a conversation" && data.length < ids.length - 1)
                failures.push(`${what}: ${data.length} ${name}`);
            } catch (thrown) {
              failures.push(`${what}: ${name}: ${String(thrown)}`);
            }
        } catch (thrown) {
          // The column cannot store this value.
          assert.match(String(thrown), /constraint failed|cannot store|datatype mismatch/);
        } finally {
          sql.exec("ROLLBACK TO damage; RELEASE damage");
        }
      }
  }
  await store.close();
  assert.deepEqual(failures, []);
  assert.ok(damages > 300, `${damages} damages`);
});
