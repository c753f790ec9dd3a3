import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Api, createApi, spokenText } from "./api.ts";
import { createServerFolder, type ServerProcess, startServerProcess } from "./server-process.ts";

const isConfined = spawnSync("bwrap", ["--version"]).status === 0;
const skip = isConfined ? false : "no bubblewrap (bwrap) on PATH";

const resources = new AsyncDisposableStack();
let api: Api;
let server: ServerProcess;

before(async () => {
  if (!isConfined) return;
  const folder = resources.use(
    await createServerFolder({
      "capstan.config.json": JSON.stringify({
        groups: { code: true },
        rules: [{ tool: "code.*", execution: "auto" }],
        limits: { toolTimeoutMs: 10_000 },
      }),
    }),
  );
  server = resources.use(await startServerProcess({ folder }));
  api = createApi(server.url);
});

after(() => resources.disposeAsync());

/** Runs one call to its end, and returns its result. */
async function run(tool: string, args: { readonly [name: string]: string }): Promise<string> {
  const { id: conversation } = await api.createConversation();
  const input = `/${tool} ${JSON.stringify(args)}`;
  const turn = await api.startTurn({ conversation, input, groups: ["code"] });
  return spokenText(await api.finishedEvents(turn));
}

/** Polls the server until a promise settles, and returns the number of answers. */
async function answersUntil(ended: Promise<unknown>): Promise<number> {
  let answers = 0;
  let over = false;
  void ended.finally(() => (over = true));
  while (!over) {
    const response = await fetch(`${server.url}/v1/models`);
    assert.equal(response.status, 200);
    await response.text();
    answers++;
    await pause(20);
  }
  return answers;
}

const bombs = [
  {
    name: "an endless loop",
    tool: "Python",
    args: { code: "while True: pass" },
    ends: /stopped after 10 s/,
  },
  {
    name: "a fork bomb",
    tool: "Shell",
    args: { command: "b() { b | b & }; b; sleep 2; echo still here" },
    ends: /fork|still here|stopped after 10 s/,
  },
  {
    name: "an allocation of 10 GB",
    tool: "Python",
    args: { code: "x = bytearray(10 << 30)" },
    ends: /MemoryError/,
  },
  {
    name: "memory taken piece by piece",
    tool: "Python",
    args: { code: "x = []\nwhile True: x.append(bytearray(1 << 20))" },
    ends: /memory|stopped after 10 s/i,
  },
  {
    name: "a gigabyte of prints",
    tool: "Shell",
    args: { command: "head -c 1000000000 /dev/zero | tr '\\0' x; echo END" },
    // On a slow machine the deadline may pass first, and the result may then show no output.
    ends: /Shell\*\* returned \(first lines\)|stopped after 10 s/,
  },
] as const;

for (const { name, tool, args, ends } of bombs)
  test(`${name} does not stop the server from answering`, { skip }, async () => {
    const ended = run(tool, args);
    const answers = await answersUntil(ended);
    assert.match(await ended, ends);
    // The number of answers is small if the code ends soon; a blocked server would answer only
    // after the end.
    assert.ok(answers > 1, `the server answered ${answers} times`);
  });

// Contract: sandbox-24, sandbox-31
test(
  "the server answers while all of them run together, and no process of them remains",
  { skip },
  async () => {
    const ended = Promise.all(bombs.map(({ tool, args }) => run(tool, args)));
    assert.ok((await answersUntil(ended)) > 5);
    assert.equal(
      await run("JavaScript", { code: "6 * 7" }).then((text) => text.includes("42")),
      true,
    );
  },
);
