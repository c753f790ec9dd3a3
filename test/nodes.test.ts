import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "@capstan/contract";
import { findRedis, startRedis } from "@capstan/server/testing";
import { findPostgres, testServer } from "@capstan/store/testing";
import {
  type Api,
  assertNumbered,
  createApi,
  readEventStream,
  type ServerSentEvent,
  spokenText,
} from "./api.ts";
import {
  createServerFolder,
  readLedger,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { type ChatRequest, obey, startUpstream, type UpstreamAnswer } from "./upstream.ts";

type Node = ServerProcess & { readonly api: Api };

interface Place extends AsyncDisposable {
  readonly folder: ServerFolder;
  readonly one: Node;
  readonly other: Node;
  /** Releases the answers that the model holds back. */
  readonly release: () => void;
}

const hold = Promise.withResolvers<void>();

/**
 * A model that follows its instructions, and answers `hold` in pieces, the second one after its
 * release.
 */
function answer(request: ChatRequest): UpstreamAnswer {
  const last = String(request.messages.findLast(({ role }) => role === "user")?.content);
  return last === "hold"
    ? { say: ["One, ", "two, ", "three."], hold: hold.promise }
    : obey(request);
}

/** Starts two servers on one database, with the given slots and timeouts. */
async function openPlace(
  withRedis: boolean,
  { places = 100, heartbeatMs = 15_000, approvalMs = 24 * 60 * 60 * 1_000 } = {},
): Promise<Place> {
  const resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream(answer));
  const folder = resources.use(await createServerFolder());
  const databaseUrl = await (await testServer()).newDatabase();
  const redis = withRedis ? resources.use(await startRedis()) : undefined;
  const environment = {
    ...upstream.environment,
    CAPSTAN_DATABASE_URL: databaseUrl,
    TOY_PLACES: String(places),
    TOY_HEARTBEAT_MS: String(heartbeatMs),
    TOY_GRACE_MS: "50",
    TOY_APPROVAL_MS: String(approvalMs),
    ...(redis && { CAPSTAN_REDIS_URL: redis.url }),
  };
  const start = async (): Promise<Node> => {
    const options = { folder, script: toyServer, environment };
    const server = resources.use(await startServerProcess(options));
    return { ...server, api: createApi(server.url) };
  };
  const [one, other] = await Promise.all([start(), start()]);
  return {
    folder,
    one,
    other,
    release: hold.resolve,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function startTurn(api: Api, input: string): Promise<{ conversation: string; run: string }> {
  const { id: conversation } = await api.createConversation();
  const run = await api.startTurn({ conversation, input, groups: ["toys"] });
  return { conversation, run };
}

/** Opens a response's stream at a node, after a sequence number. */
async function* readStream(node: Node, run: string, after = -1): AsyncGenerator<ServerSentEvent> {
  const url = `${node.url}/v1/responses/${run}?stream=true&starting_after=${after}`;
  yield* readEventStream(await fetch(url));
}

/** Reads a response's stream at a node until an event has arrived the given number of times. */
async function hasShown(node: Node, run: string, wanted: string, times: number): Promise<void> {
  let seen = 0;
  for await (const { event } of readStream(node, run))
    if (event === wanted && ++seen === times) return;
  assert.fail(`the stream ended after ${seen} ${wanted}`);
}

async function ledgerHas(folder: ServerFolder, line: string, times: number): Promise<void> {
  while ((await readLedger(folder)).filter((each) => each === line).length < times) await sleep(20);
}

const postgres = findPostgres();
const redis = findRedis();
const skipAlone = postgres.status === "missing" && postgres.reason;
const skipRedis = skipAlone || (redis.status === "missing" && redis.reason);
const kinds = [
  { title: "PostgreSQL alone", withRedis: false, skip: skipAlone },
  { title: "PostgreSQL and Redis", withRedis: true, skip: skipRedis },
] as const;

// Contract: durability-82
test(
  "a run of one node can be followed, answered and stopped at another node",
  { skip: skipRedis },
  async () => {
    await using place = await openPlace(true);
    const { one, other } = place;
    const { run } = await startTurn(one.api, "hold");
    const heard: RunEvent[] = [];
    for await (const event of other.api.events(run)) {
      heard.push(event);
      if (event.type === "item.delta") place.release();
    }
    assertNumbered(heard);
    assert.equal(spokenText(heard), "One, two, three.");
    // Every node reads the same events, from any number, whichever node wrote them.
    for (const { api } of [one, other])
      for (const after of [0, 1, Math.floor(heard.length / 2), heard.length - 1])
        assert.deepEqual(await Array.fromAsync(api.events(run, after)), heard.slice(after));

    const asked = await startTurn(one.api, 'call Append {"line":"allowed"}');
    await other.api.firstEvent(asked.run, "chain.waiting");
    const [approval] = await other.api.approvals(asked.conversation);
    await other.api.answer(approval!.id, { decision: "allow" });
    await other.api.finishedEvents(asked.run);

    const stuck = await startTurn(one.api, 'call RecordAndHang {"line":"stuck"}');
    await ledgerHas(place.folder, "stuck", 1);
    assert.equal((await other.api.cancel(stuck.run)).status, "cancelled");
    const last = (await one.api.finishedEvents(stuck.run)).at(-1);
    assert.ok(last?.type === "chain.ended" && last.status === "aborted");
    assert.deepEqual(await readLedger(place.folder), ["allowed", "stuck"]);
  },
);

// Contract: durability-50
test(
  "every node reports that a response is queued or in progress, also without its run",
  { skip: skipAlone },
  async () => {
    await using place = await openPlace(false, { places: 1, heartbeatMs: 50 });
    const { one, other, folder } = place;
    const busy = await startTurn(one.api, 'call RecordAndHang {"line":"one"}');
    await ledgerHas(folder, "one", 1);
    await hasShown(other, busy.run, "response.in_progress", 4);
    const too = await startTurn(other.api, 'call RecordAndHang {"line":"other"}');
    await ledgerHas(folder, "other", 1);
    const { run: queued } = await startTurn(one.api, "anything");
    await Promise.all([one, other].map((node) => hasShown(node, queued, "response.queued", 4)));
    await Promise.all([one.api.cancel(busy.run), other.api.cancel(too.run)]);
    for (const run of [busy.run, too.run, queued]) {
      assertNumbered(await one.api.finishedEvents(run));
      const whole = await Array.fromAsync(readStream(one, run));
      assert.deepEqual(await Array.fromAsync(readStream(other, run)), whole);
      const from = await Array.fromAsync(readStream(other, run, 2));
      assert.deepEqual(from, whole.slice(3));
    }
  },
);

for (const { title, withRedis, skip } of kinds) {
  test(
    `if one node has no free slot, the other executes the run (${title})`,
    { skip },
    async () => {
      await using place = await openPlace(withRedis, { places: 1 });
      const { one, other } = place;
      const busy = await startTurn(one.api, 'call RecordAndHang {"line":"busy"}');
      await ledgerHas(place.folder, "busy", 1);
      const ids: string[] = [];
      for (const line of ["a", "b", "c"])
        ids.push((await startTurn(one.api, `call Record {"line":"${line}"}`)).run);
      for (const id of ids) await one.api.finishedEvents(id);
      assert.deepEqual((await readLedger(place.folder)).toSorted(), ["a", "b", "busy", "c"]);
      assert.equal((await other.api.run(busy.run)).status, "in_progress");
    },
  );

  test(`kill -9 of one node: the other continues its runs (${title})`, { skip }, async (t) => {
    await using place = await openPlace(withRedis);
    const { one, other, folder } = place;
    const runs: string[] = [];
    for (const line of ["k1", "k2", "k3"])
      runs.push((await startTurn(one.api, `call ReadAndHang {"line":"${line}"}`)).run);
    for (const line of ["k1", "k2", "k3"]) await ledgerHas(folder, line, 1);
    await one.kill();
    const killed = performance.now();
    // The node that continues repeats a call that only reads.
    for (const line of ["k1", "k2", "k3"]) await ledgerHas(folder, line, 2);
    t.diagnostic(`all continue ${Math.round(performance.now() - killed)} ms after the kill`);
    for (const run of runs) {
      assert.equal((await other.api.cancel(run)).status, "cancelled");
      await other.api.finishedEvents(run);
    }
  });
}

// Contract: durability-53
test(
  "after kill -9 of the node that requested approval, the other node expires the request in time",
  { skip: skipAlone },
  async () => {
    // Without a queue, the node is not notified.
    await using place = await openPlace(false, { approvalMs: 5_000 });
    const { one, other } = place;
    const { conversation, run } = await startTurn(one.api, 'call Append {"line":"unanswered"}');
    await other.api.firstEvent(run, "chain.waiting");
    await one.kill();
    const last = (await other.api.finishedEvents(run)).at(-1);
    assert.ok(last?.type === "chain.ended" && last.status === "completed");
    const [approval] = await other.api.approvals(conversation, "expired");
    assert.equal(approval?.status, "expired");
    assert.deepEqual(await readLedger(place.folder), []);
  },
);
