import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RunStatus } from "@capstan/contract";
import {
  type Api,
  assertNumbered,
  createApi,
  eventsOf,
  readEventStream,
  spokenText,
} from "./api.ts";
import {
  createServerFolder,
  readLedger,
  type ServerFolder,
  startServerProcess,
} from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream, type Upstream, type UpstreamAnswer } from "./upstream.ts";

const resources = new AsyncDisposableStack();
let upstream: Upstream;
let folder: ServerFolder;
let api: Api;

/** Held answers, by the word in the message that requests them. The test releases them. */
const holds = new Map<string, PromiseWithResolvers<void>>();
/** Messages whose first model request fails. */
const failOnce = new Set<string>();

before(async () => {
  upstream = resources.use(
    await startUpstream((request): UpstreamAnswer => {
      const text = JSON.stringify(request.messages.at(-1)?.content);
      for (const [word, { promise }] of holds)
        if (text.includes(word)) return { say: ["One ", `${word} `, "three."], hold: promise };
      for (const word of failOnce) {
        if (!text.includes(word)) continue;
        failOnce.delete(word);
        return { say: ["Half a"], ending: "break" };
      }
      return obey(request);
    }),
  );
  folder = resources.use(await createServerFolder());
  const { environment } = upstream;
  const server = resources.use(
    await startServerProcess({ folder, script: toyServer, environment }),
  );
  api = createApi(server.url);
});

after(() => resources.disposeAsync());

/** Messages with this word get only the first piece of their answer until the hold is released. */
function holdOn(word: string): PromiseWithResolvers<void> {
  const hold = Promise.withResolvers<void>();
  holds.set(word, hold);
  return hold;
}

async function startTurn(input: string) {
  const { id: conversation } = await api.createConversation();
  const run = await api.startTurn({ conversation, input, groups: ["toys"] });
  return { conversation, run };
}

test("retrying a failed run does not repeat its finished calls", async () => {
  failOnce.add("recorded first");
  const { conversation, run } = await startTurn('call Record {"line":"first"}');
  const failed = await api.finishedEvents(run);
  const last = failed.at(-1);
  assert.equal(last?.type === "chain.ended" && last.status, "error");
  assert.equal((await api.run(run)).status, "failed");
  assert.equal(spokenText(failed), "Half a");

  const retried = await api.retry(run);
  assert.notEqual(retried.id, run);
  const events = await api.finishedEvents(retried.id);
  assert.equal(spokenText(events), "It said: recorded first");
  assert.deepEqual(eventsOf(events, "call.started"), []);
  assert.deepEqual(
    (await readLedger(folder)).filter((line) => line === "first"),
    ["first"],
  );
  assert.equal((await api.conversation(conversation)).head, retried.id);
  const roles = upstream.requests.at(-1)?.messages.map(({ role }) => role);
  assert.deepEqual(roles?.slice(-3), ["user", "assistant", "tool"]);

  // Later turns contain the turn once.
  const next = await api.startTurn({ conversation, input: "And?" });
  await api.finishedEvents(next);
  const said = JSON.stringify(upstream.requests.at(-1)?.messages);
  assert.equal(said.split("call Record").length - 1, 1);
  await assert.rejects(api.retry(next), { status: 409 }, "a completed run cannot be retried");
});

test("the first of several answers to an approval wins, and every client is told the result", async () => {
  const { conversation, run } = await startTurn('call Append {"line":"asked once"}');
  await api.firstEvent(run, "chain.waiting");
  const [approval] = await api.approvals(conversation);
  const answers = await Promise.all(
    (["refuse", "allow", "refuse", "allow"] as const).map((decision) =>
      api.answer(approval!.id, { decision }),
    ),
  );
  assert.equal(new Set(answers.map(({ status }) => status)).size, 1);
  const allowed = answers[0]?.status === "allowed";
  const events = await api.finishedEvents(run);
  assert.equal(eventsOf(events, "approval.answered").length, 1);
  const wrote = (await readLedger(folder)).filter((line) => line === "asked once");
  assert.equal(wrote.length, allowed ? 1 : 0);
});

test("the reason of a refusal reaches the model", async () => {
  const { conversation, run } = await startTurn('call Append {"line":"never"}');
  await api.firstEvent(run, "chain.waiting");
  const [approval] = await api.approvals(conversation);
  await api.answer(approval!.id, { decision: "refuse", reason: "wrong harbour" });
  assert.match(spokenText(await api.finishedEvents(run)), /wrong harbour/);
});

test("the user's arguments replace the model's, and the model is told", async () => {
  const { conversation, run } = await startTurn('call Append {"line":"typo"}');
  await api.firstEvent(run, "chain.waiting");
  const [approval] = await api.approvals(conversation);
  await api.answer(approval!.id, { decision: "allow", arguments: { line: "corrected" } });
  assert.match(spokenText(await api.finishedEvents(run)), /A user changed the arguments/);
  const ledger = await readLedger(folder);
  assert.ok(ledger.includes("corrected") && !ledger.includes("typo"));
});

test("several approvals of one turn are answered one by one", async () => {
  const { conversation, run } = await startTurn(
    'call Append {"line":"a1"}\ncall Append {"line":"a2"}\ncall Record {"line":"a3"}',
  );
  await api.firstEvent(run, "chain.waiting");
  const approvals = await api.approvals(conversation);
  assert.deepEqual(approvals.map(({ args }) => String(args["line"])).toSorted(), ["a1", "a2"]);
  const of = (line: string) => approvals.find(({ args }) => args["line"] === line)!.id;
  await api.answer(of("a2"), { decision: "allow" });
  await api.answer(of("a1"), { decision: "refuse", reason: "one is enough" });
  const events = await api.finishedEvents(run);
  assert.match(spokenText(events), /one is enough.* \| recorded a2 \| recorded a3/);
});

test("cancel works in every status", async () => {
  const status = async (run: string): Promise<RunStatus> => (await api.run(run)).status;

  holdOn("streaming");
  const streaming = await startTurn("streaming");
  await api.firstEvent(streaming.run, "item.delta");
  assert.equal((await api.cancel(streaming.run)).status, "cancelled");
  const cut = await api.finishedEvents(streaming.run);
  assert.equal(spokenText(cut), "One ");
  holds.delete("streaming");

  const waiting = await startTurn('call Append {"line":"cancelled"}');
  await api.firstEvent(waiting.run, "chain.waiting");
  const [approval] = await api.approvals(waiting.conversation);
  assert.equal((await api.cancel(waiting.run)).status, "cancelled");
  const closed = await api.finishedEvents(waiting.run);
  assert.deepEqual(
    eventsOf(closed, "call.settled").map((event) => event.status),
    ["cancelled"],
  );
  assert.deepEqual(await api.approvals(waiting.conversation), []);
  const late = await api.answer(approval!.id, { decision: "allow" });
  assert.equal(late.status, "cancelled", "a late answer changes nothing");
  assert.ok(!(await readLedger(folder)).includes("cancelled"));

  const running = await startTurn('call RecordAndHang {"line":"hung"}');
  await api.firstEvent(running.run, "call.started");
  assert.equal((await api.cancel(running.run)).status, "cancelled");
  await api.finishedEvents(running.run);

  const completed = await startTurn("Hello");
  const events = await api.finishedEvents(completed.run);
  assert.equal((await api.cancel(completed.run)).status, "completed");
  assert.deepEqual(await api.finishedEvents(completed.run), events);
  assert.equal(await status(streaming.run), "cancelled");
  assert.equal((await api.cancel(streaming.run)).status, "cancelled");
});

test("one call is stopped, and the turn continues", async () => {
  const { run } = await startTurn('call RecordAndHang {"line":"x"}\ncall Record {"line":"y"}');
  const { callId } = await api.firstEvent(run, "call.started");
  await api.request("POST", `/v1/runs/${run}/calls/${callId}/cancel`);
  const events = await api.finishedEvents(run);
  assert.equal((await api.run(run)).status, "completed");
  assert.match(spokenText(events), /was stopped.*recorded y/);
  await assert.rejects(api.request("POST", `/v1/runs/${run}/calls/${callId}/cancel`), {
    status: 409,
  });
});

test("deleting a conversation during a run removes it and stops its model request", async () => {
  holdOn("doomed");
  const { conversation, run } = await startTurn("doomed");
  await api.firstEvent(run, "item.delta");
  const reader = Array.fromAsync(api.events(run));
  const left = upstream.nextLeft();
  await api.request("DELETE", `/v1/conversations/${conversation}`);
  assert.equal((await reader).at(-1)?.type, "chain.ended", "readers are told of the end");
  await left;
  for (const path of [`conversations/${conversation}`, `runs/${run}`, `responses/${run}`])
    await assert.rejects(api.request("GET", `/v1/${path}`), { status: 404 }, path);
  holds.delete("doomed");
});

test("a streamed response is cancelled when its client disconnects", async () => {
  holdOn("leaving");
  const { id, leave } = await openStream({ input: "leaving" });
  leave();
  const events = await api.finishedEvents(id);
  assert.equal((await api.run(id)).status, "cancelled");
  assert.equal(spokenText(events), "One ");
  holds.delete("leaving");
});

test("a JSON response is cancelled when its client disconnects", async () => {
  holdOn("hanging up");
  const before = upstream.requests.length;
  const stop = new AbortController();
  const request = fetch(`${api.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "custom/scripted", input: "hanging up" }),
    signal: stop.signal,
  });
  await upstream.reached(before + 1);
  const left = upstream.nextLeft();
  stop.abort();
  await assert.rejects(request);
  await left;
  holds.delete("hanging up");
});

test("a background response continues after its client disconnects", async () => {
  const hold = holdOn("staying");
  const { id, leave } = await openStream({ input: "staying", background: true });
  leave();
  hold.resolve();
  assert.equal(spokenText(await api.finishedEvents(id)), "One staying three.");
  assert.equal((await api.run(id)).status, "completed");
  holds.delete("staying");
});

test("a second message waits for the end of the first one", async () => {
  const hold = holdOn("slow");
  const { conversation, run } = await startTurn("slow");
  await api.firstEvent(run, "item.delta");
  await assert.rejects(api.startTurn({ conversation, input: "impatient" }), { status: 409 });
  hold.resolve();
  await api.finishedEvents(run);
  const next = await api.startTurn({ conversation, input: "patient" });
  await api.finishedEvents(next);
  assert.equal((await api.runs(conversation)).length, 2);
  holds.delete("slow");
});

test("if two messages are sent to a conversation at the same time, one starts a turn and the other gets a conflict", async () => {
  const hold = holdOn("at once");
  const { id: conversation } = await api.createConversation();
  const both = await Promise.allSettled(
    ["left at once", "right at once"].map((input) => api.startTurn({ conversation, input })),
  );
  const taken = both.filter((one) => one.status === "fulfilled");
  const refused = both.filter((one) => one.status === "rejected");
  assert.deepEqual([taken.length, refused.length], [1, 1]);
  assert.equal(refused[0]?.reason.status, 409);
  hold.resolve();
  await api.finishedEvents(taken[0]!.value);
  assert.equal((await api.runs(conversation)).length, 1);
  holds.delete("at once");
});

test("twenty conversations stream at the same time, each complete and without a gap", async () => {
  const turns = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const { run } = await startTurn(
        `call Record {"line":"par${n}"}\ncall ReturnsNothing {}\ncall Record {"line":"par${n}b"}`,
      );
      // A reader from the start and a late reader get the same events.
      const [events, again] = await Promise.all([api.finishedEvents(run), api.finishedEvents(run)]);
      assertNumbered(events);
      assert.deepEqual(again, events);
      return spokenText(events);
    }),
  );
  assert.deepEqual(
    turns,
    turns.map((_, n) => `It said: recorded par${n} | (no result) | recorded par${n}b`),
  );
});

test("a reader can start in the middle, by number or by Last-Event-ID", async () => {
  const { run } = await startTurn('call Record {"line":"middle"}');
  const all = await api.finishedEvents(run);
  const middle = Math.floor(all.length / 2);
  assert.deepEqual(await Array.fromAsync(api.events(run, middle)), all.slice(middle));
  const response = await fetch(`${api.url}/v1/runs/${run}/events`, {
    headers: { "Last-Event-ID": String(middle) },
  });
  const ids = (await Array.fromAsync(readEventStream(response))).map(({ id }) => Number(id));
  assert.deepEqual(
    ids,
    all.slice(middle).map(({ seq }) => seq),
  );
});

/** A streamed response whose first piece has arrived. `leave` closes the connection. */
async function openStream(body: object): Promise<{ id: string; leave: () => void }> {
  const stop = new AbortController();
  const response = await fetch(`${api.url}/v1/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "custom/scripted", stream: true, ...body }),
    signal: stop.signal,
  });
  let id = "";
  for await (const { event, data } of readEventStream(response)) {
    if (event === "response.created")
      id = (JSON.parse(data) as { response: { id: string } }).response.id;
    if (event === "response.output_text.delta") break;
  }
  return { id, leave: () => stop.abort() };
}
