import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { plainStatement } from "../../testing/plain-statement.ts";
import { clientConfig } from "./connection.ts";
import { plansAreOld, send, sendAll } from "./statements.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

async function withClient(use: (client: pg.Client) => Promise<void>): Promise<void> {
  const connectionString = await (await testServer()).newDatabase();
  const client = new pg.Client(clientConfig({ connectionString, applicationName: "test" }));
  await client.connect();
  try {
    await client.query("CREATE TABLE given (id BIGINT PRIMARY KEY, word TEXT)");
    await use(client);
  } finally {
    await client.end();
  }
}

const insert = (id: number, word: string | null) =>
  plainStatement("INSERT INTO given (id, word) VALUES (?, ?)", id, word);
const read = plainStatement("SELECT id, word FROM given ORDER BY id");

test(
  "statements that are sent together run in order, and each returns its own rows",
  options,
  async () => {
    await withClient(async (client) => {
      for (const id of [1, 3]) {
        const results = await sendAll(client, [
          insert(id, "a"),
          read,
          insert(id + 1, null),
          plainStatement("SELECT count(*) AS n FROM given"),
        ]);
        const lengths = results.map((rows) => rows.length);
        assert.deepEqual(lengths, [0, id, 0, 1]);
        assert.deepEqual(results[3], [{ n: id + 1 }]);
      }
      const [first, second] = await send(client, read);
      assert.deepEqual(
        [first, second],
        [
          { id: 1, word: "a" },
          { id: 2, word: null },
        ],
      );
      assert.deepEqual(await sendAll(client, []), []);
    });
  },
);

test(
  "the first failure ends the statements of its message, and later messages work",
  options,
  async () => {
    await withClient(async (client) => {
      await send(client, insert(1, "a"));
      const last = plainStatement("SELECT word FROM given WHERE id = ?", 1);
      const failing = plainStatement("SELECT 1 / (? - id) AS n FROM given", 1);
      await assert.rejects(
        sendAll(client, [read, failing, insert(2, "b"), last]),
        /division by zero/,
      );
      await assert.rejects(sendAll(client, [insert(1, "again")]), /duplicate key/);
      assert.deepEqual(await send(client, read), [{ id: 1, word: "a" }]);
      assert.deepEqual(await send(client, last), [{ word: "a" }]);
      assert.deepEqual(await send(client, { ...failing, values: [2] }), [{ n: 1 }]);
    });
  },
);

test("answers statements that were sent without waiting for earlier ones", options, async () => {
  await withClient(async (client) => {
    const results = await Promise.all([
      send(client, insert(1, "a")),
      send(client, read),
      send(client, read),
    ]);
    assert.deepEqual(results[2], [{ id: 1, word: "a" }]);
  });
});

test(
  "a connection plans again after many statements, also at the beginning of a transaction",
  options,
  async () => {
    await withClient(async (client) => {
      await send(client, insert(1, "a"));
      const begin = plainStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      for (let n = 0; n < 300; n++) {
        const [, rows] = await sendAll(client, [begin, read, plainStatement("COMMIT")]);
        assert.deepEqual(rows, [{ id: 1, word: "a" }]);
      }
    });
  },
);

test(
  "statements run in the order in which they were sent, also with new plans between them",
  options,
  async () => {
    await withClient(async (client) => {
      const notices: (string | undefined)[] = [];
      client.on("notice", ({ message }) => notices.push(message));
      for (let n = 0; n < 150; n++) {
        await sendAll(client, [plainStatement("BEGIN"), read]);
        void sendAll(client, [plainStatement("COMMIT")]);
      }
      await send(client, read);
      assert.deepEqual(notices, []);
    });
  },
);

test("a value that cannot be parsed fails only its own read", options, async () => {
  await withClient(async (client) => {
    const corrupt = plainStatement("SELECT E'\\x01corrupt' AS word");
    const [bad, good] = await Promise.allSettled([
      sendAll(client, [read, corrupt, corrupt, read]),
      send(client, plainStatement("SELECT 1 AS n")),
    ]);
    assert.equal(bad.status, "rejected");
    assert.deepEqual(good, { status: "fulfilled", value: [{ n: 1 }] });
  });
});

test("a failed transaction is not reported as committed", options, async () => {
  await withClient(async (client) => {
    await sendAll(client, [plainStatement("BEGIN"), insert(1, "a")]);
    await assert.rejects(send(client, plainStatement("SELECT 1 / 0 AS n")));
    await assert.rejects(send(client, plainStatement("COMMIT")), /rolled back/);
    assert.deepEqual(await send(client, read), []);
  });
});

test("plans are discarded after a hundred statements of a connection, and each time their number doubles", () => {
  const client = new pg.Client();
  const old: number[] = [];
  for (let sent = 10; sent <= 1_000; sent += 10) if (plansAreOld(client, 10)) old.push(sent);
  assert.deepEqual(old, [100, 200, 400, 800]);
  assert.equal(plansAreOld(new pg.Client(), 10), false);
});
