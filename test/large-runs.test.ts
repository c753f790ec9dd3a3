import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ListView, RunView } from "@capstan/contract";
import { createApi } from "./api.ts";
import { createServerFolder, type ServerProcess, startServerProcess } from "./server-process.ts";
import { testedDatabase } from "./tested-database.ts";
import { startUpstream } from "./upstream.ts";
import { watchServer } from "./watch-server.ts";

/** `CAPSTAN_LARGE=print` prints the figures. */
const prints = process.env["CAPSTAN_LARGE"] === "print";

const environment = {
  ...testedDatabase,
  NODE_OPTIONS: `--import ${new URL("fixtures/report-long-turns.ts", import.meta.url).href}`,
};

/**
 * The longest turn, in ms, on a slow machine: the same turn took 60 ms on one machine and 150 ms on
 * another. Without the budgets these requests take turns of seconds.
 */
const longestTurnMs = 400;
/** The time limit of a test, in ms, on a slow and busy machine. */
const timeout = 900_000;

/** Watches a server during some work, and checks its memory and its response times. */
async function watched(what: string, server: ServerProcess, body: () => Promise<void>) {
  // Excludes the turns of its start.
  await sleep(500);
  const before = server.output().length;
  const watch = watchServer(server);
  await body();
  const { slowestMs, slowestOwnMs, busiestMs, memoryMb } = await watch.stop();
  await sleep(300);
  const lines = server
    .output()
    .slice(before)
    .matchAll(/longest turn: (\d+) ms/g);
  const longestMs = Math.max(0, ...lines.map(([, ms]) => Number(ms)));
  const [own, busiest, all] = [slowestOwnMs, busiestMs, slowestMs].map((ms) => ms.toFixed(0));
  const healthz = `${own} ms (${busiest} ms of work, ${all} ms with the machine)`;
  const figures = `${what}: ${memoryMb.toFixed(0)} MB, turns of ${longestMs} ms, /healthz ${healthz}`;
  if (prints) process.stdout.write(`${figures}\n`);
  assert.ok(memoryMb < 1_000, figures);
  // Excludes the time for which the server got no processor: turns are measured in processor time,
  // and the kernel counts how long a ready thread waited. Work during a request of the watching process
  // is not asserted: while that process waits for a processor, the server answers other requests.
  assert.ok(longestMs < longestTurnMs, figures);
  assert.ok(slowestOwnMs < longestTurnMs, figures);
}

/** Runs a small turn: the first one loads code, as the start does. */
async function runFirstTurn(api: ReturnType<typeof createApi>): Promise<void> {
  const { id: conversation } = await api.createConversation();
  await api.finishedEvents(await api.startTurn({ conversation, input: "Hi" }));
}

const images = 2;
const imageBytes = 15_000_000;

/** The images, random so that they do not compress. Made once: this blocks the event loop. */
const base64 = Array.from({ length: images }, () => randomBytes(imageBytes).toString("base64"));

/** Returns an image of a text's bytes. If `first` differs, it is another image. */
function imageOf(data: string, first = "") {
  const start = Buffer.from(first).toString("base64");
  return {
    type: "input_image",
    image_url: `data:image/png;base64,${start}${data.slice(start.length)}`,
  };
}

// Contract: durability-6
test(
  "a conversation of 16 messages with two images of 20 MB each is sent, listed and read",
  { timeout },
  async () => {
    await using resources = new AsyncDisposableStack();
    const folder = resources.use(await createServerFolder());
    const server = resources.use(await startServerProcess({ folder, environment }));
    const api = createApi(server.url);
    await runFirstTurn(api);
    const { id: conversation } = await api.createConversation();
    // The first request and the start load modules.
    const { id: other } = await api.createConversation();
    const { id: first } = await api.request<{ readonly id: string }>("POST", "/v1/responses", {
      input: [{ role: "user", content: [imageOf(base64[0]?.slice(0, 1_000) ?? "")] }],
      conversation: other,
      background: true,
    });
    await api.finishedEvents(first);
    await sleep(2_000);
    let last = "";
    await watched("16 messages", server, async () => {
      for (let n = 0; n < 16; n++) {
        const content = base64.map((data) => imageOf(data, String(n).padStart(3)));
        const { id } = await api.request<{ readonly id: string }>("POST", "/v1/responses", {
          input: [
            { role: "user", content: [{ type: "input_text", text: `Message ${n}` }, ...content] },
          ],
          conversation,
          background: true,
        });
        await api.finishedEvents(id);
        last = id;
      }
    });

    await watched("lists", server, async () => {
      const { data } = await api.request<ListView<RunView>>("GET", "/v1/runs?limit=16");
      assert.equal(data.length, 16);
      const shown = await api.runs(conversation);
      assert.equal(shown.length, 16);
      assert.ok(JSON.stringify(shown).length < 1_000_000);
    });

    await watched("8 reads of an input", server, async () => {
      const sizes = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const response = await fetch(`${server.url}/v1/responses/${last}/input_items`);
          let size = 0;
          for await (const chunk of response.body ?? []) size += chunk.length;
          return size;
        }),
      );
      assert.ok(sizes.every((size) => size > images * 20_000_000));
    });
  },
);

const smallItems = (count: number, text: string) =>
  Array.from({ length: count }, (_, n) => ({ role: "user", content: `${n} ${text}` }));

test(
  "60 MB of small items delay no other client: one request is rejected, and a conversation of four is read",
  { timeout },
  async () => {
    await using resources = new AsyncDisposableStack();
    const folder = resources.use(await createServerFolder());
    const server = resources.use(await startServerProcess({ folder, environment }));
    const api = createApi(server.url);
    await runFirstTurn(api);
    const { id: conversation } = await api.createConversation();
    const whole = JSON.stringify({ input: smallItems(300_000, "x".repeat(150)) });
    await watched("300,000 items in a request", server, async () => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${server.url}/v1/responses`, {
        method: "POST",
        headers,
        body: whole,
      });
      assert.equal(response.status, 413);
      const { error } = (await response.json()) as { readonly error: { readonly code: string } };
      assert.equal(error.code, "body_too_many_values");
    });

    const count = 10_000;
    const ids: string[] = [];
    await watched("10,000 items in each of four requests", server, async () => {
      for (let n = 0; n < 4; n++) {
        const { id } = await api.request<{ readonly id: string }>("POST", "/v1/responses", {
          input: smallItems(count, "x".repeat(1_500)),
          conversation,
          background: true,
        });
        await api.finishedEvents(id);
        ids.push(id);
      }
    });
    await watched("reads of these", server, async () => {
      assert.equal((await api.runs(conversation)).length, 4);
      for (const id of ids) {
        assert.equal((await api.request<RunView>("GET", `/v1/runs/${id}`)).status, "completed");
        const path = `/v1/responses/${id}/input_items?limit=100&order=asc`;
        const first = await api.request<ListView<{ readonly id: string }>>("GET", path);
        const next = await api.request<ListView<object>>("GET", `${path}&after=${first.last_id}`);
        assert.deepEqual([first.data.length, next.data.length, next.has_more], [100, 100, true]);
      }
    });
  },
);

const pieces = Array.from({ length: 20_000 }, (_, n) => `${n} `.padEnd(1_000, "x"));

// Contract: durability-6
test(
  "50 parallel and 200 slow readers of a run of 20 MB delay no other client",
  { timeout },
  async () => {
    await using resources = new AsyncDisposableStack();
    const upstream = resources.use(await startUpstream(() => ({ say: pieces })));
    const folder = resources.use(await createServerFolder());
    const server = resources.use(
      await startServerProcess({
        folder,
        environment: { ...upstream.environment, ...environment },
      }),
    );
    const api = createApi(server.url);
    const { id: conversation } = await api.createConversation();
    const run = await api.startTurn({ conversation, input: "Go on." });
    await api.finishedEvents(run);

    for (const path of [
      `/v1/runs/${run}`,
      `/v1/responses/${run}`,
      `/v1/conversations/${conversation}/runs`,
      `/v1/runs/${run}/events`,
    ])
      await watched(`50 reads of ${path.replace(/\/[^/]*_[^/]*/, "")}`, server, async () => {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            // Compressing all these answers would take minutes; `compress.test.ts` tests compression.
            const headers = { "accept-encoding": "identity" };
            const response = await fetch(`${server.url}${path}`, { headers });
            assert.equal(response.status, 200);
            for await (const _chunk of response.body ?? []);
          }),
        );
      });

    const stuck: Socket[] = [];
    resources.defer(() => stuck.forEach((socket) => socket.destroy()));
    const { hostname, port, host } = new URL(server.url);
    await watched("200 slow readers", server, async () => {
      for (const path of [`/v1/responses/${run}`, `/v1/runs/${run}/events`])
        await Promise.all(
          Array.from({ length: 100 }, async () => {
            const socket = connect({ host: hostname, port: Number(port) });
            socket.on("error", () => {});
            stuck.push(socket);
            socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
            await once(socket, "readable");
          }),
        );
    });
  },
);

test(
  "a key with 400 large reads gets a 429 for some, and delays no other key",
  { timeout },
  async () => {
    await using resources = new AsyncDisposableStack();
    const upstream = resources.use(
      await startUpstream((request) => ({
        say: JSON.stringify(request.messages.at(-1)).includes("Short") ? ["Yes."] : pieces,
      })),
    );
    const limits = { limits: { streamsOfOne: 100 } };
    const folder = resources.use(
      await createServerFolder({ "capstan.config.json": JSON.stringify(limits) }),
    );
    const keys = { ann: "ann-key-0123456789abcdef", bob: "bob-key-0123456789abcdef" };
    const server = resources.use(
      await startServerProcess({
        folder,
        environment: {
          ...upstream.environment,
          ...environment,
          CAPSTAN_API_KEYS: Object.entries(keys)
            .map(([name, key]) => `${name}:${key}`)
            .join(","),
        },
      }),
    );
    const ann = createApi(server.url, keys.ann);
    const bob = createApi(server.url, keys.bob);
    const runs: { readonly id: string; readonly conversation: string }[] = [];
    for (let n = 0; n < 8; n++) {
      const { id: conversation } = await ann.createConversation();
      const id = await ann.startTurn({ conversation, input: "Go on." });
      await ann.finishedEvents(id);
      runs.push({ id, conversation });
    }
    const { hostname, port, host } = new URL(server.url);
    const flood: Socket[] = [];
    resources.defer(() => flood.forEach((socket) => socket.destroy()));
    const statuses = new Map<string, number>();
    const noRetryAfter: string[] = [];
    await watched("400 large reads of one key", server, async () => {
      const readers = Array.from({ length: 400 }, async (_, n) => {
        const { id = "", conversation = "" } = runs[n % runs.length] ?? {};
        const path = [
          `/v1/responses/${id}`,
          `/v1/runs/${id}/events`,
          `/v1/conversations/${conversation}/runs`,
          `/v1/responses/${id}?stream=true`,
        ][Math.floor(n / runs.length) % 4];
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on("error", () => {});
        flood.push(socket);
        const authorization = `Authorization: Bearer ${keys.ann}`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}\r\n\r\n`);
        // The client reads only the first chunk.
        const [head] = (await once(socket, "data")) as [Buffer];
        socket.pause();
        const text = head.toString("latin1");
        const status = text.slice(9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== "200" && !/^retry-after: \d/im.test(text)) noRetryAfter.push(text);
      });
      for (let n = 0; n < 20; n++) {
        const { id } = await bob.createConversation();
        const run = await bob.request<{ readonly id: string }>("POST", "/v1/responses", {
          input: "Short, please.",
          conversation: id,
        });
        assert.equal((await bob.request<RunView>("GET", `/v1/runs/${run.id}`)).status, "completed");
      }
      await Promise.all(readers);
    });
    if (prints) process.stdout.write(`${JSON.stringify([...statuses])}\n`);
    assert.deepEqual([...statuses.keys()].toSorted(), ["200", "429"]);
    assert.deepEqual(noRetryAfter, []);
  },
);

const variables = ["a", "b", "c"];

// Contract: variables-94
test(
  "a conversation with 30 MB of variables is continued, listed and edited without delays",
  { timeout },
  async () => {
    await using resources = new AsyncDisposableStack();
    const folder = resources.use(await createServerFolder());
    const before = await startServerProcess({ folder, environment });
    const { id: conversation } = await createApi(before.url).createConversation();
    await watched("30 MB of variables are stored", before, async () => {
      for (const name of variables)
        await createApi(before.url).putVariable(conversation, name, {
          text: `${name} line of ten\n`.repeat(720_000),
        });
    });
    await before[Symbol.asyncDispose]();

    // A new server has no variables in memory.
    const server = resources.use(await startServerProcess({ folder, environment }));
    const api = createApi(server.url);
    await runFirstTurn(api);
    const groups = ["vars", "basic"];
    const turn = async (input: string) =>
      JSON.stringify(
        await api.finishedEvents(await api.startTurn({ conversation, input, groups })),
      );
    await watched("it is continued, and its variables are listed", server, async () => {
      for (let n = 0; n < 3; n++) await turn("Hi");
      const listed = await api.variables(conversation);
      const lengths = variables.map((name) => listed.find((one) => one.name === name)?.length);
      assert.deepEqual(lengths, [10_080_000, 10_080_000, 10_080_000]);
      assert.match(await turn("/ListVars {}"), /10,080,000 characters/);
    });
    await watched("values are read, changed and described", server, async () => {
      const slice = await api.readVariable(conversation, "b", "?start=0&length=6");
      assert.equal(slice.text, "b line");
      assert.match(await turn('/Text {"operation":"upper","text":"$VAR_REF{{c:0:6}}"}'), /C LINE/);
      await api.putVariable(conversation, "a", { desc: "the first" });
      assert.equal((await api.readVariable(conversation, "a")).text.length, 10_080_000);
    });
  },
);
