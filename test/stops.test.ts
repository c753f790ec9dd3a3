import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { SqliteChanges, SqliteConnection } from "@capstan/store/testing";
import { type Api, eventsOf, spokenText } from "./api.ts";
import {
  assertContinues,
  createPlace,
  eventsUntil,
  ledgerReaches,
  startTurn,
} from "./restarted-server.ts";
import { readLedger } from "./server-process.ts";
import { inOrder } from "./upstream.ts";

// Contract: durability-14
test("the next server applies an answer that was stored when the server died", async () => {
  await using place = await createPlace();
  const first = await place.start();
  const { conversation, run } = await startTurn(first.api, 'call Append {"line":"late"}');
  await eventsUntil(first.api, run, "chain.waiting");
  const [approval] = await first.api.approvals(conversation);
  await first.kill();
  // Simulates a server that died after it stored the answer and before it resumed the run.
  const sql = new SqliteConnection(new DatabaseSync(join(place.folder.data, "capstan.db")));
  const changes = new SqliteChanges(sql);
  const answer = JSON.stringify({ decision: "allow" });
  const { id } = approval!;
  changes.update("approvals", { id }, { status: "allowed", answer, answered_at: Date.now() });
  // The commit of an answer also queues the run.
  changes.update("runs", { id: run }, { status: "queued" });
  sql.close();

  const { api } = await place.start();
  await api.finishedEvents(run);
  assert.equal((await api.run(run)).status, "completed");
  assert.deepEqual(await readLedger(place.folder), ["late"]);
});

// Contract: durability-32
test("an answer that ends within the grace period of a stop is complete", async () => {
  const hold = Promise.withResolvers<void>();
  await using place = await createPlace(() => ({ say: ["Half. ", "Whole."], hold: hold.promise }));
  const first = await place.start({ TOY_GRACE_MS: "60000" });
  const { run } = await startTurn(first.api, "Speak");
  await first.api.firstEvent(run, "item.delta");
  const stopped = first.stop();
  await listeningEnded(first.url);
  hold.resolve();
  assert.equal(await stopped, 0);

  const { api } = await place.start();
  assert.equal(spokenText(await api.finishedEvents(run)), "Half. Whole.");
  assert.equal(place.upstream.requests.length, 1);
});

for (const end of ["stop", "kill"] as const) {
  test(`an answer that ${end} interrupts is started again by the next server`, async () => {
    const never = Promise.withResolvers<void>();
    await using place = await createPlace(
      inOrder({ say: ["Half. ", "Never."], hold: never.promise }, { say: ["Anew."] }),
    );
    const first = await place.start({ TOY_GRACE_MS: "50" });
    const { run } = await startTurn(first.api, "Speak");
    const before = await eventsUntil(first.api, run, "item.delta");
    await first[end]();

    const { api } = await place.start();
    const after = await api.finishedEvents(run);
    assertContinues(before, after);
    assert.equal(eventsOf(after, "model.restarted").length, 1);
    assert.deepEqual(
      eventsOf(after, "item.end").map(({ text, incomplete = false }) => ({ text, incomplete })),
      [
        { text: "Half. ", incomplete: true },
        { text: "Anew.", incomplete: false },
      ],
    );
    const { status } = await api.run(run);
    assert.equal(status, "completed");
    // The model does not read voided text as its own.
    assert.ok(!JSON.stringify(place.upstream.requests[1]?.messages).includes("Half."));
  });
}

// Contract: durability-13
test("after a stop during a call, a read-only call runs again and a call with effects does not", async () => {
  await using place = await createPlace();
  const first = await place.start({ TOY_GRACE_MS: "50" });
  const { run } = await startTurn(
    first.api,
    'call ReadAndHang {"line":"read"}\ncall RecordAndHang {"line":"wrote"}',
  );
  await ledgerReaches(place.folder, 2);
  await first.stop();

  const { api } = await place.start();
  await ledgerReaches(place.folder, 3);
  const [read] = await settledAndRunning(api, run);
  await api.request("POST", `/v1/runs/${run}/calls/${read}/cancel`);
  const events = await api.finishedEvents(run);
  assert.deepEqual((await readLedger(place.folder)).toSorted(), ["read", "read", "wrote"]);
  assert.deepEqual(
    eventsOf(events, "call.settled")
      .map(({ status }) => status)
      .toSorted(),
    ["cancelled", "outcome_unknown"],
  );
  assert.match(spokenText(events), /may or may not have happened/);
});

test("a stop does not wait for readers, and passes a client's response to the next server", async () => {
  const never = Promise.withResolvers<void>();
  await using place = await createPlace(
    inOrder({ say: ["Half. ", "Never."], hold: never.promise }, { say: ["Anew."] }),
  );
  const first = await place.start({ TOY_GRACE_MS: "50" });
  const response = await fetch(`${first.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "custom/scripted", input: "Speak", stream: true }),
  });
  const reading = response.body?.getReader() ?? assert.fail("no body");
  const id = /"id":"(resp_\w+)"/.exec(new TextDecoder().decode((await reading.read()).value))?.[1];
  await place.upstream.reached(1);
  assert.equal(await first.stop(), 0);
  assert.doesNotMatch(first.output(), /Error|unhandled/i);
  await assert.rejects(async () => {
    while (!(await reading.read()).done) continue;
  }, "the client sees that its stream was cut off");

  const { api } = await place.start();
  assert.equal(
    spokenText(await api.finishedEvents(id!))
      .split("\n")
      .at(-1),
    "Anew.",
  );
});

test("a variable that a user adds during a run is stored, whatever happens to the run", async () => {
  const never = Promise.withResolvers<void>();
  await using place = await createPlace(() => ({ say: ["Half. ", "Never."], hold: never.promise }));
  const first = await place.start();
  const { conversation, run } = await startTurn(first.api, "Speak");
  await first.api.firstEvent(run, "item.delta");
  await first.api.putVariable(conversation, "kept", { text: "in mid-air" });
  await first.kill();
  const { api } = await place.start();
  assert.equal((await api.readVariable(conversation, "kept")).text, "in mid-air");
});

test("all earlier text is unchanged after restarts, byte for byte", async () => {
  await using place = await createPlace();
  const first = await place.start();
  const { conversation, run } = await startTurn(first.api, 'call Record {"line":"one"}');
  const events = await first.api.finishedEvents(run);
  const runs = await first.api.runs(conversation);
  const stream = await responseStream(first.url, run);
  const variables = await first.api.variables(conversation);
  await first.stop();

  const second = await place.start();
  assert.deepEqual(await second.api.finishedEvents(run), events);
  await second.kill();
  const { api, url } = await place.start();
  assert.deepEqual(await api.finishedEvents(run), events);
  assert.deepEqual(await api.runs(conversation), runs);
  assert.equal(await responseStream(url, run), stream);
  const stored = variables.filter(({ type }) => type !== "RULE").map(({ name }) => name);
  assert.deepEqual(stored.toSorted(), ["Record_1", "Record_1_args"]);
  assert.deepEqual(
    (await api.variables(conversation)).map(({ name }) => name).toSorted(),
    variables.map(({ name }) => name).toSorted(),
  );
});

async function responseStream(url: string, id: string): Promise<string> {
  const response = await fetch(`${url}/v1/responses/${id}?stream=true`);
  return response.text();
}

/** Resolves when a stopping server accepts no more connections. */
async function listeningEnded(url: string): Promise<void> {
  while (await fetch(`${url}/healthz`).then(ok, () => false)) continue;
}

const ok = (response: Response) => response.ok;

/** The call that runs now, after all others were settled. */
async function settledAndRunning(api: Api, run: string): Promise<readonly string[]> {
  const running = new Set<string>();
  for await (const event of api.events(run)) {
    if (event.type === "call.proposed") running.add(event.callId);
    if (event.type === "call.settled") running.delete(event.callId);
    if (event.type === "call.settled") return [...running];
  }
  return assert.fail("the run ended");
}
