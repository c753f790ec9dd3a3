import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../live/store.ts";
import { openPostgresStore } from "../../postgres/open-postgres-store.ts";
import { openMemoryStore, openStore } from "../../sqlite/open-store.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import {
  approvalRequest,
  commit,
  createRun,
  owner,
  resultOf,
  settableClock,
  withDataDir,
} from "../../testing/store-fixtures.ts";

const webhooks = [
  { endpoint: "ops", events: ["approval.requested", "run.ended"] },
  { endpoint: "audit", events: ["run.ended"] },
] as const;

const claim = { type: "claim-webhooks", limit: 10, ms: 1_000, maxAgeMs: 100_000 } as const;

async function claimed(store: Store, endpoint: string) {
  const [outcome] = await store.write([{ ...claim, endpoint }]);
  assert.equal(outcome.status, "claimed_webhooks");
  return outcome.messages;
}

/** Requests an approval in a run, ends the run, and claims and settles its messages. */
async function announces(
  store: Store,
  clock: ReturnType<typeof settableClock>,
  other: Store = store,
): Promise<void> {
  await createRun(store, { id: "r" });
  const approval = approvalRequest("k1");
  const event = { type: "approval.requested", callId: approval.callId, approval } as const;
  await commit(store, "r", [{ type: "event", event }]);
  assert.deepEqual(await claimed(store, "audit"), []);
  const [asked, ...more] = await claimed(store, "ops");
  assert.deepEqual(more, []);
  assert.deepEqual(asked, {
    endpoint: "ops",
    id: "approval_requested_k1",
    owner,
    event: { type: "approval.requested", approval: "k1", run: "r", conversation: null },
    createdAt: clock.now(),
    attempts: 1,
  });
  assert.deepEqual(await claimed(other, "ops"), [], "claimed");
  assert.equal(await store.nextWebhookAt("ops"), clock.now() + 1_000);
  clock.set(clock.now() + 1_001);
  const [again] = await claimed(other, "ops");
  assert.equal(again?.attempts, 2);
  const settle = { type: "settle-webhook", endpoint: "ops", id: asked?.id ?? "" } as const;
  const [late] = await store.write([{ ...settle, attempts: 1, retryAt: null }]);
  assert.equal(late.status, "not_found", "another node has claimed it since");
  const [failed] = await other.write([{ ...settle, attempts: 2, retryAt: clock.now() + 50 }]);
  assert.equal(failed.status, "settled_webhook");
  assert.equal(await store.nextWebhookAt("ops"), clock.now() + 50);
  clock.set(clock.now() + 51);
  const [last] = await claimed(store, "ops");
  await store.write([{ ...settle, attempts: last?.attempts ?? 0, retryAt: null }]);
  assert.equal(await store.nextWebhookAt("ops"), undefined);

  await commit(store, "r", [resultOf("completed")]);
  const ended = [await claimed(store, "ops"), await claimed(store, "audit")];
  assert.deepEqual(
    ended.map((messages) => messages.map(({ id }) => id)),
    [["run_ended_r"], ["run_ended_r"]],
  );
  clock.set(clock.now() + 100_001);
  assert.deepEqual(await claimed(store, "audit"), [], "too old");
  assert.equal(await store.nextWebhookAt("ops"), undefined);
}

test("changes are announced in their commit, and sent by one node at a time (memory)", async () => {
  const clock = settableClock();
  const store = openMemoryStore({ clock, webhooks });
  await announces(store, clock);
  await store.close();
});

test("messages survive the end of the process (file)", () =>
  withDataDir(async (dataDir) => {
    const clock = settableClock();
    const first = await openStore({ dataDir, clock, webhooks });
    await createRun(first, { id: "before" });
    await commit(first, "before", [resultOf("completed")]);
    await first.close();
    const store = await openStore({ dataDir, clock, webhooks });
    for (const endpoint of ["ops", "audit"]) {
      const [message] = await claimed(store, endpoint);
      assert.equal(message?.id, "run_ended_before");
      const { id, attempts } = message;
      await store.write([{ type: "settle-webhook", endpoint, id, attempts, retryAt: null }]);
    }
    await announces(store, clock);
    await store.close();
  }));

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;

test("two nodes share the messages (PostgreSQL)", { skip }, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const clock = settableClock();
  const open = () => openPostgresStore({ connectionString, connections: 2, clock, webhooks });
  const [store, other] = [await open(), await open()];
  await announces(store, clock, other);
  await Promise.all([store.close(), other.close()]);
});
