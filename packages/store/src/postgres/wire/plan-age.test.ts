import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { plansAreOld } from "./plan-age.ts";

test("plans are old after a hundred statements of a connection, and as often as they have doubled", () => {
  const client = new pg.Client();
  const old: number[] = [];
  for (let sent = 10; sent <= 1_000; sent += 10) if (plansAreOld(client, 10)) old.push(sent);
  assert.deepEqual(old, [100, 200, 400, 800]);
  assert.equal(plansAreOld(new pg.Client(), 10), false);
});
