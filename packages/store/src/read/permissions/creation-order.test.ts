import assert from "node:assert/strict";
import fc from "fast-check";
import type { CreationCursor, Page } from "../../records/records.ts";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  approvalRequest,
  commit,
  createRun,
  event,
  grantOf,
  intact,
  owner,
} from "../../testing/store-fixtures.ts";

const kinds = ["approval", "grant", "rule"] as const;
type Kind = (typeof kinds)[number];

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    // Clocks jump in both directions, and stop.
    time: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4_000_000_000_000 })),
    again: fc.boolean(),
  }),
  { minLength: 1, maxLength: 15 },
);

let made = 0;

async function create(store: Store, user: string, kind: Kind, time: number): Promise<string> {
  made += 1;
  // Ids whose order differs from the order of creation.
  const id = `${(made * 7_919) % 1_000}_${made}`;
  if (kind === "approval") {
    const approval = { ...approvalRequest(id), createdAt: time };
    await commit(store, user, [
      event({ type: "approval.requested", callId: approval.callId, approval }),
    ]);
  }
  if (kind === "grant") {
    const grant = grantOf(id, { scope: "always", createdAt: time });
    await store.write([{ type: "create-grant", owner: user, sessionId: null, grant }]);
  }
  if (kind === "rule") await writeRule(store, user, id, 1_000);
  return id;
}

async function writeRule(store: Store, user: string, tool: string, approvalMs: number) {
  await store.write([{ type: "change-override", owner: user, tool, change: { approvalMs } }]);
}

/** All entries, read in pages of two. */
async function everyPage<T>(
  list: (after: { readonly after?: CreationCursor }) => Promise<Page<T>>,
  cursorOf: (entry: T) => CreationCursor,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: { readonly after?: CreationCursor } = {}; ;) {
    const page = await list(after);
    ids.push(...page.data.map((entry) => cursorOf(entry).id));
    const last = page.data.at(-1);
    if (!page.hasMore || last === undefined) return ids;
    after = { after: cursorOf(last) };
  }
}

// Contract: durability-4
everyStore(
  "approvals, grants and rules are listed in the order of creation, whatever the clock shows",
  async (withStore) => {
    await withStore(async (store, clock) => {
      let users = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (some) => {
          const user = `${owner}_${(users += 1)}`;
          clock.set(1);
          await createRun(store, { id: user, owner: user });
          const expected: { readonly [K in Kind]: string[] } = {
            approval: [],
            grant: [],
            rule: [],
          };
          for (const { kind, time, again } of some) {
            clock.set(time);
            expected[kind].push(await create(store, user, kind, time));
            // A changed rule keeps its position.
            if (again && expected.rule[0] !== undefined)
              await writeRule(store, user, expected.rule[0], 2_000);
          }
          clock.set(1);
          const query = { owner: user, limit: 2 };
          const approvals = await everyPage(
            async (after) => intact(await store.listApprovals({ ...query, ...after })),
            ({ id, createdSeq }) => ({ id, createdSeq }),
          );
          assert.deepEqual(approvals, expected.approval.toReversed());
          const grants = await everyPage(
            async (after) => intact(await store.listGrants({ ...query, ...after })),
            ({ grant, createdSeq }) => ({ id: grant.id, createdSeq }),
          );
          assert.deepEqual(grants, expected.grant.toReversed());
          const held = await store.readGrants({ owner: user, sessionId: "s" });
          assert.deepEqual(
            held.map(({ id }) => id),
            expected.grant,
          );
          const rules = await store.listOverrides({ owner: user });
          assert.deepEqual(
            rules.map(({ rule }) => rule.tool),
            expected.rule,
          );
        }),
        { numRuns: 15 },
      );
    });
  },
);
