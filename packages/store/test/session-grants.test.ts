import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withTwoNodes } from "../src/testing/every-store.ts";
import { findPostgres } from "../src/testing/postgres-server.ts";
import { grantOf } from "../src/testing/store-fixtures.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

const owners = ["ann", "bob"] as const;
const sessions = ["s1", "s2"] as const;

test(
  "grants of many sessions that are requested together equal separate reads",
  options,
  async () => {
    await withTwoNodes(async (store, other) => {
      const given: { owner: string; sessionId: string | null; id: string }[] = [];
      for (const owner of owners)
        for (const sessionId of [null, ...sessions])
          for (const n of [1, 2, 3])
            given.push({ owner, sessionId, id: `${owner} ${sessionId} ${n}` });
      // Granted in a mixed order. Of every three grants, one is revoked and one is expired.
      for (const [createdAt, { id, ...of }] of given.toReversed().entries()) {
        const expires = id.endsWith("2") ? { expiresAt: 1 } : {};
        const grant = grantOf(id, { createdAt, ...expires });
        await store.write([{ type: "create-grant", ...of, grant }]);
        if (id.endsWith("3")) await store.write([{ type: "revoke-grant", owner: of.owner, id }]);
      }
      const holdsFor = (owner: string, sessionId: string) =>
        given.toReversed().flatMap((one) => {
          const isMeant = one.sessionId === null || one.sessionId === sessionId;
          return one.owner === owner && isMeant && one.id.endsWith("1") ? [one.id] : [];
        });
      const query = fc.record({
        owner: fc.constantFrom(...owners, "nobody"),
        sessionId: fc.constantFrom(...sessions, "s3"),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(query, { minLength: 1, maxLength: 12 }), async (queries) => {
          const together = await Promise.all(queries.map((each) => other.readGrants(each)));
          assert.deepEqual(
            together.map((grants) => grants.map(({ id }) => id)),
            queries.map(({ owner, sessionId }) => holdsFor(owner, sessionId)),
          );
        }),
        { numRuns: 40 },
      );
    });
  },
);
