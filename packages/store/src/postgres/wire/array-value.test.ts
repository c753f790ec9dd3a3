import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { encodeArray } from "./array-value.ts";
import { plainStatement } from "../../testing/plain-statement.ts";
import { send } from "./statements.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

test("reads back arrays of any texts and integers unchanged", options, async () => {
  const client = new pg.Client({ connectionString: await (await testServer()).newDatabase() });
  await client.connect();
  const texts = fc.array(fc.option(fc.string({ unit: "binary" })));
  const numbers = fc.array(fc.option(fc.maxSafeInteger()));
  try {
    await fc.assert(
      fc.asyncProperty(texts, numbers, async (some, others) => {
        const length = Math.max(some.length, others.length);
        const pad = <T>(list: (T | null)[]) =>
          Array.from({ length }, (_, index) => list[index] ?? null);
        const rows = await send(
          client,
          plainStatement(
            "SELECT * FROM unnest(?::text[], ?::bigint[]) AS given (t, n)",
            pad(some),
            pad(others),
          ),
        );
        const expected = pad(some).map((t, index) => ({ t, n: pad(others)[index] }));
        assert.deepEqual(rows, expected);
      }),
      { numRuns: 25 },
    );
  } finally {
    await client.end();
  }
});

test("the database reads an array that has an ambiguous type or contains a fraction", () => {
  assert.equal(encodeArray([]), "{}");
  assert.equal(encodeArray([null, null]), "{NULL,NULL}");
  assert.equal(encodeArray([1.5, null]), "{1.5,NULL}");
});
