import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ResultApprovalView } from "@capstan/contract";
import { type Api, createApi, spokenText } from "./api.ts";
import { createServerFolder, readLedger, startServerProcess } from "./server-process.ts";
import { toyServer } from "./server-scripts.ts";
import { obey, startUpstream } from "./upstream.ts";

// Tests that a user reviews a result before the model reads it, with restarts of real servers.

/** A server whose run waits for a review, as `kill -9` leaves it. */
async function killedInReview() {
  const resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream(obey));
  const folder = resources.use(await createServerFolder());
  const { environment } = upstream;
  const start = async () =>
    resources.use(await startServerProcess({ folder, script: toyServer, environment }));
  const first = await start();
  const api = createApi(first.url);
  const { id: conversation } = await api.createConversation();
  const input = 'call Reviewed {"line":"once"}';
  const run = await api.startTurn({ conversation, input, groups: ["toys"] });
  await api.firstEvent(run, "chain.waiting");
  await first.kill();
  return {
    conversation,
    run,
    folder,
    upstream,
    api: createApi((await start()).url),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Everything that the API shows to readers who do not review. */
async function readable(api: Api, conversation: string, run: string): Promise<string> {
  const paths = [
    `/v1/conversations/${conversation}/runs`,
    `/v1/conversations/${conversation}/variables`,
    `/v1/runs/${run}`,
    `/v1/responses/${run}`,
    "/v1/approvals",
  ];
  return JSON.stringify(
    await Promise.all(paths.map(async (path) => api.request<unknown>("GET", path))),
  );
}

async function reviewOf(api: Api, conversation: string): Promise<ResultApprovalView> {
  const [waiting] = await api.reviews(conversation);
  return api.request("GET", `/v1/approvals/${waiting!.id}`);
}

/** The bytes of all files of the server. */
async function stored(data: string): Promise<string> {
  const names = (await readdir(data)).filter((name) => name.startsWith("capstan.db"));
  return (await Promise.all(names.map((name) => readFile(join(data, name), "latin1")))).join("");
}

test("a result waits for its review across kill -9 and is released, and its tool runs once", async () => {
  await using place = await killedInReview();
  const { api, conversation, run } = place;
  assert.doesNotMatch(await readable(api, conversation, run), /tulip/);
  const review = await reviewOf(api, conversation);
  assert.equal(review.result?.text, "recorded once: the password is tulip");
  await api.answer(review.id, { decision: "release" });
  assert.match(spokenText(await api.finishedEvents(run)), /recorded once/);
  assert.equal((await api.run(run)).status, "completed");
  assert.deepEqual(await readLedger(place.folder), ["once"]);
});

// Contract: executor-71
test("a result withheld after kill -9 appears neither in the API, nor in model requests, nor in files", async () => {
  await using place = await killedInReview();
  const { api, conversation, run, folder } = place;
  assert.match(await stored(folder.data), /tulip/);
  const { id } = await reviewOf(api, conversation);
  await api.answer(id, { decision: "withhold", reason: "private" });
  const events = await api.finishedEvents(run);
  assert.equal(
    events.some((event) => event.type === "call.settled" && event.status === "result_rejected"),
    true,
  );
  const known = await readable(api, conversation, run);
  assert.match(known, /private/);
  assert.doesNotMatch(known, /tulip/);
  assert.doesNotMatch(JSON.stringify([events, place.upstream.requests]), /tulip/);
  assert.doesNotMatch(await stored(folder.data), /tulip/);
  assert.deepEqual(await readLedger(folder), ["once"]);
});
