import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { plainSql } from "../../testing/plain-statement.ts";
import { all } from "../../sql/script.ts";
import { postgresReads } from "./postgres-reads.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

/**
 * PostgreSQL's answer to a client that connects during recovery:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from("E0000");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test(
  "reads wait for a database in recovery for longer than after a lost connection",
  options,
  async () => {
    const address = new URL(await (await testServer()).newDatabase());
    const socketPath = join(address.searchParams.get("host") ?? "", ".s.PGSQL.5432");
    const readyAt = performance.now() + 4_000;
    let refused = 0;
    const proxy = createServer((client) => {
      client.on("error", () => {});
      if (performance.now() < readyAt) {
        refused += 1;
        client.once("data", () =>
          client.end(errorResponse("57P03", "the database system is starting up")),
        );
        return;
      }
      const upstream = connect(socketPath);
      upstream.on("error", () => {});
      client.pipe(upstream).pipe(client);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    address.searchParams.set("host", "127.0.0.1");
    address.searchParams.set("port", String((proxy.address() as AddressInfo).port));
    const reads = postgresReads({ connectionString: address.href, applicationName: "test" }, 1);
    try {
      assert.deepEqual(await reads.read(() => all(plainSql("SELECT 1 AS one"))), [{ one: 1 }]);
      assert.ok(refused > 3);
    } finally {
      await reads.close();
      proxy.close();
    }
  },
);
