import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../scripts/command.ts";
import { assertNumbered, createApi, eventsOf, spokenText } from "./api.ts";
import {
  assertContinues,
  createPlace,
  eventsUntil,
  ledgerReaches,
  startTurn,
} from "./restarted-server.ts";
import { readLedger, startServerProcess } from "./server-process.ts";
import { obey } from "./upstream.ts";

for (const end of ["stop", "kill"] as const) {
  test(`a pending approval survives ${end}, and its answer runs the call once`, async () => {
    await using place = await createPlace();
    const first = await place.start();
    const { conversation, run } = await startTurn(first.api, 'call Append {"line":"kept"}');
    const before = await eventsUntil(first.api, run, "chain.waiting");
    assert.equal((await first.api.run(run)).status, "requires_action");
    await first[end]();

    const { api } = await place.start();
    assert.equal((await api.conversation(conversation)).head_status, "requires_action");
    const [approval, ...others] = await api.approvals(conversation);
    assert.equal(others.length, 0);
    assert.deepEqual(approval?.args, { line: "kept" });
    assert.deepEqual(await readLedger(place.folder), []);
    await api.answer(approval.id, { decision: "allow" });
    const after = await api.finishedEvents(run);
    assertContinues(before, after);
    assert.match(spokenText(after), /recorded kept/);
    assert.equal((await api.run(run)).status, "completed");
    assert.deepEqual(await readLedger(place.folder), ["kept"]);
    assert.deepEqual(await api.approvals(conversation), []);
  });
}

// Contract: durability-25
test("a server whose writer thread dies reports it and exits; the next server continues the stored runs", async () => {
  const held = Promise.withResolvers<void>();
  await using place = await createPlace(() => ({ say: ["One, ", "two."], hold: held.promise }));
  const { folder, upstream } = place;
  const mortal = `--import=${join(root, "test/fixtures/mortal-writer.ts")}`;
  await using first = await startServerProcess({
    folder,
    environment: { ...upstream.environment, NODE_OPTIONS: mortal },
  });
  const firstApi = createApi(first.url);
  const { id: conversation } = await firstApi.createConversation();
  const run = await firstApi.startTurn({ conversation, input: "Count." });
  await eventsUntil(firstApi, run, "item.delta");
  process.kill(first.pid, "SIGUSR2");
  assert.equal(await first.exited, 1);
  assert.match(first.output(), /The store's thread died: .*Start it again/);

  held.resolve();
  const { api } = await place.start();
  assertNumbered(await api.finishedEvents(run));
  assert.equal((await api.run(run)).status, "completed");
});

// Contract: durability-12
test("kill -9 during a call: its outcome is unknown, and the other calls continue", async () => {
  await using place = await createPlace();
  const first = await place.start();
  const { conversation, run } = await startTurn(
    first.api,
    'call RecordAndHang {"line":"once"}\ncall Append {"line":"asked"}',
  );
  await ledgerReaches(place.folder, 1);
  const before = await eventsUntil(first.api, run, "approval.requested");
  await first.kill();

  const { api } = await place.start();
  await eventsUntil(api, run, "chain.waiting");
  const [approval, ...others] = await api.approvals(conversation);
  assert.deepEqual([approval?.args, others.length], [{ line: "asked" }, 0]);
  await api.answer(approval!.id, { decision: "allow" });
  const after = await api.finishedEvents(run);
  assertContinues(before, after);
  assert.deepEqual(
    eventsOf(after, "call.settled").map(({ status }) => status),
    ["outcome_unknown", "success"],
  );
  assert.match(spokenText(after), /may or may not have happened/);
  assert.equal((await api.run(run)).status, "completed");
  assert.deepEqual(await readLedger(place.folder), ["once", "asked"]);
});

// Contract: durability-2
test("after kill -9, each of twenty streaming runs continues without a gap and ends once", async () => {
  const never = Promise.withResolvers<void>();
  await using place = await createPlace((request, index) =>
    index < 20
      ? { say: ["One ", "two ", "three."], ...(index % 2 === 0 && { hold: never.promise }) }
      : obey(request),
  );
  const first = await place.start();
  const runs = await Promise.all(
    Array.from({ length: 20 }, async () => (await startTurn(first.api, "Speak")).run),
  );
  await Promise.all(runs.map((run) => first.api.firstEvent(run, "item.delta")));
  await first.kill();

  const { api } = await place.start();
  const begunAgain = await Promise.all(
    runs.map(async (run) => {
      const events = await api.finishedEvents(run);
      assertNumbered(events);
      assert.equal(eventsOf(events, "chain.ended").length, 1);
      assert.equal((await api.run(run)).status, "completed");
      return eventsOf(events, "model.restarted").length;
    }),
  );
  assert.ok(begunAgain.filter((times) => times === 1).length >= 10, begunAgain.join());
  assert.ok(begunAgain.every((times) => times <= 1));
});
