import assert from "node:assert/strict";
import { test } from "node:test";
import { createApi, eventsOf, spokenText } from "./api.ts";
import { createServerFolder, readLedger, startServerProcess } from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream } from "./upstream.ts";

/** A turn whose final tool was answering when its server ended, and the next server. */
async function cutInAnswer(tool: "Announce" | "Recite", end: "kill" | "stop") {
  const resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream(obey));
  const folder = resources.use(await createServerFolder());
  const environment = { ...upstream.environment, TOY_GRACE_MS: "50" };
  const start = async () =>
    resources.use(await startServerProcess({ folder, script: toyServer, environment }));
  const first = await start();
  const before = createApi(first.url);
  const { id: conversation } = await before.createConversation();
  const input = `call ${tool} {"line":"verse"}`;
  const run = await before.startTurn({ conversation, input, groups: ["toys"] });
  for await (const event of before.events(run))
    if (event.type === "item.delta" && event.delta.includes(", and ")) break;
  await first[end]();
  const api = createApi((await start()).url);
  return {
    api,
    run,
    conversation,
    upstream,
    folder,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

// Contract: loop-75
test("kill -9 during a final tool's answer keeps the partial answer as incomplete and does not run the tool again", async () => {
  await using cut = await cutInAnswer("Announce", "kill");
  const { api, run, folder, upstream, conversation } = cut;
  const events = await api.finishedEvents(run);
  assert.deepEqual(
    eventsOf(events, "item.end").map(({ text, incomplete }) => [text, incomplete]),
    [
      ['{"line":"verse"}', undefined],
      ["recorded verse, and ", true],
      [spokenText(events).split("\n").at(-1), undefined],
    ],
  );
  assert.deepEqual(
    eventsOf(events, "call.settled").map(({ status }) => status),
    ["outcome_unknown"],
  );
  assert.equal((await api.run(run)).status, "completed");
  assert.match(spokenText(events), /may or may not have happened/);
  assert.deepEqual(await readLedger(folder), ["verse"]);
  const next = await api.startTurn({ conversation, input: "And now?", groups: ["toys"] });
  await api.finishedEvents(next);
  const told = JSON.stringify(upstream.requests.at(-1)?.messages);
  assert.match(told, /Error \(outcome_unknown\): Announce had begun/);
  assert.doesNotMatch(told, /recorded verse/, "an incomplete answer is not stored as an answer");
});

// Contract: loop-75
test("after a stop during the answer of a read-only final tool, the tool answers again and ends the turn", () =>
  givenAnew("stop"));

// Contract: loop-75
test("after kill -9 during the answer of a read-only final tool, the tool answers again and ends the turn", () =>
  givenAnew("kill"));

async function givenAnew(end: "stop" | "kill"): Promise<void> {
  await using cut = await cutInAnswer("Recite", end);
  const { api, run, folder, upstream, conversation } = cut;
  const events = await api.finishedEvents(run);
  assert.deepEqual(
    eventsOf(events, "item.end").map(({ text, incomplete }) => [text, incomplete]),
    [
      ['{"line":"verse"}', undefined],
      ["recorded verse, and ", true],
      ["recorded verse, and that is all.", undefined],
    ],
  );
  assert.equal((await api.run(run)).status, "completed");
  assert.deepEqual(await readLedger(folder), ["verse", "verse"]);
  assert.equal(upstream.requests.length, 1, "the model is not asked for a text that exists");

  const next = await api.startTurn({ conversation, input: "And now?", groups: ["toys"] });
  await api.finishedEvents(next);
  // The call is shown unchanged, and the answer once.
  const answers = upstream.requests.at(-1)?.messages.filter(({ role }) => role === "assistant");
  assert.deepEqual(
    answers?.map(({ content }) => content),
    [null, "recorded verse, and that is all."],
  );
}
