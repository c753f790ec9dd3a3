import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { findSandbox } from "@capstan/sandbox";
import { findPython } from "@capstan/scripts";
import { type Api, createApi, spokenText } from "./api.ts";
import { approveScript, createServerFolder, startServerProcess } from "./server-process.ts";

const python = await findPython({});
const { problem } = await findSandbox();
const skip = python.status === "missing" ? python.message : (problem?.message ?? false);

const source = `"""Bombs."""
import os

TOOL_CONFIG = {"executionPolicy": "auto", "effects": "read", "timeoutMs": 8000}

def loop():
    """Never ends."""
    while True: pass

def fork():
    """Takes all processes."""
    while True: os.fork()

def allocate():
    """Takes 10 GB."""
    return len(bytearray(10 << 30))

def talk():
    """Prints a gigabyte."""
    for _ in range(1024): print("x" * (1 << 20))
    return "said it"

def still():
    """Answers."""
    return "still here"
`;

const resources = new AsyncDisposableStack();
let api: Api;
let url = "";

before(async () => {
  if (skip !== false) return;
  const folder = resources.use(await createServerFolder());
  await mkdir(join(folder.work, "capstan-tools"));
  await writeFile(join(folder.work, "capstan-tools/bombs.py"), source);
  await approveScript(folder, "bombs.py");
  ({ url } = resources.use(await startServerProcess({ folder })));
  api = createApi(url);
});

after(() => resources.disposeAsync());

async function run(tool: string): Promise<string> {
  const { id: conversation } = await api.createConversation();
  const turn = await api.startTurn({ conversation, input: `/${tool} {}`, groups: ["bombs"] });
  return spokenText(await api.finishedEvents(turn));
}

// Contract: sandbox-31
test(
  "the server answers while scripts loop, fork, allocate and print without end, and the next call runs",
  { skip },
  async () => {
    let over = false;
    const ended = Promise.all(["loop", "fork", "allocate", "talk"].map(run)).finally(
      () => (over = true),
    );
    let answers = 0;
    while (!over) {
      const response = await fetch(`${url}/v1/models`);
      assert.equal(response.status, 200);
      await response.text();
      answers++;
      await pause(20);
    }
    const [loop, fork, allocate, talk] = await ended;
    assert.match(loop ?? "", /stopped after 8 s/);
    assert.match(fork ?? "", /stopped after 8 s|BlockingIOError|script_crashed|ended by/);
    assert.match(allocate ?? "", /MemoryError|stopped after 8 s/);
    assert.match(talk ?? "", /said it|stopped after 8 s/);
    assert.ok(answers > 5, `the server answered ${answers} times`);
    assert.match(await run("still"), /still here/);
  },
);
