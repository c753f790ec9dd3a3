import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { ListView, ToolGroupView } from "@capstan/contract";
import { findSandbox } from "@capstan/sandbox";
import { findPython } from "@capstan/scripts";
import { root } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import { type Api, createApi, spokenText } from "./api.ts";
import { createServerFolder, type ServerFolder, startServerProcess } from "./server-process.ts";
import { bundled, command } from "./server-scripts.ts";

const python = await findPython({});
const { problem } = await findSandbox();
const skip = python.status === "missing" ? python.message : false;
const skipUnconfined = skip || (problem?.message ?? false);

const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let api: Api;

before(async () => {
  folder = resources.use(await createServerFolder());
  await mkdir(join(folder.work, "capstan-tools"));
  await copyFile(join(root, "examples/tools/harbour.py"), toolPath("harbour.py"));
  api = createApi(resources.use(await startServerProcess({ folder })).url);
});

after(() => resources.disposeAsync());

const toolPath = (name: string) => join(folder.work, "capstan-tools", name);

async function group(name: string): Promise<ToolGroupView | undefined> {
  const { data } = await api.request<ListView<ToolGroupView>>("GET", "/v1/tools");
  return data.find((one) => one.name === name);
}

/** Polls the server until a value meets the condition. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function capstan(...args: readonly string[]) {
  const main = bundled(command);
  return promisify(execFile)(process.execPath, [main, "scripts", ...args, "--data", folder.data], {
    cwd: folder.work,
    env: withSourceCondition(),
  });
}

// Contract: scripts-64
test(
  "a Python file is a group of tools after its approval: its calls ask and run",
  { skip },
  async () => {
    assert.equal(await group("harbour"), undefined);
    const { id: early } = await api.createConversation();
    await assert.rejects(
      api.startTurn({ conversation: early, input: "hello", groups: ["harbour"] }),
      (error: Error) =>
        /no tool group 'harbour'/.test(error.message) && !/There are:.*harbour/.test(error.message),
    );
    await capstan("approve", "harbour.py", "--yes");
    const harbour = await until(() => group("harbour"));
    assert.equal(harbour.title, "Harbour");
    const { id: conversation } = await api.createConversation();
    const input = '/find_boat {"name": "Anna"}';
    const run = await api.startTurn({ conversation, input, groups: ["harbour"] });
    await api.firstEvent(run, "chain.waiting");
    const [approval] = await api.approvals(conversation);
    assert.deepEqual(approval?.args, { name: "Anna" });
    await api.answer(approval.id, { decision: "allow" });
    assert.match(spokenText(await api.finishedEvents(run)), /Anna: berth 3, 12 m/);
  },
);

test(
  "a file that changes while the server runs is offered in its approved version until it is approved again",
  { skip },
  async () => {
    await writeFile(toolPath("late.py"), 'def one():\n    """The first."""\n    return 1\n');
    await capstan("approve", "late.py", "--yes");
    await until(() => group("late"));
    for (const changed of ["def one(:\n", 'def two():\n    """The second."""\n    return 2\n']) {
      await writeFile(toolPath("late.py"), changed);
      const mark = `mark_${changed.length}.py`;
      await writeFile(toolPath(mark), 'def mark():\n    """A mark."""\n');
      await capstan("approve", mark, "--yes");
      await until(() => group(mark.slice(0, -3)));
      assert.equal((await group("late"))?.tools[0]?.name, "one");
    }
    await capstan("approve", "late.py", "--yes");
    await until(async () => ((await group("late"))?.tools[0]?.name === "two" ? true : undefined));
  },
);

test(
  "a file approved on the command line gets its declared permissions in the running server",
  { skip: skipUnconfined },
  async () => {
    await capstan("approve", "harbour.py", "--yes");
    await until(async () => {
      const price = (await group("harbour"))?.tools.find(({ name }) => name === "price");
      return price?.execution === "auto" ? true : undefined;
    });
    const { id: conversation } = await api.createConversation();
    const input = '/price {"name": "Bris", "stay": {"nights": 2}}';
    const run = await api.startTurn({ conversation, input, groups: ["harbour"] });
    assert.match(spokenText(await api.finishedEvents(run)), /price\*\* returned:\s+```\s+36\s/);
    const { stdout } = await capstan("list");
    assert.match(stdout, /harbour\.py\n +harbour\.find_boat +Finds a boat's berth/);
  },
);
