import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ListView, ToolGroupView } from "@capstan/contract";
import { findPython } from "@capstan/scripts";
import { type Api, createApi, eventsOf, spokenText } from "./api.ts";
import {
  approveScript,
  createServerFolder,
  type ServerFolder,
  startServerProcess,
} from "./server-process.ts";

const python = await findPython({});
const skip = python.status === "missing" ? python.message : false;

const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let api: Api;

before(async () => {
  folder = resources.use(
    await createServerFolder({
      "capstan.config.json": JSON.stringify({ groups: { scripts: true } }),
    }),
  );
  await mkdir(join(folder.work, "capstan-tools"));
  api = createApi(resources.use(await startServerProcess({ folder })).url);
});

after(() => resources.disposeAsync());

/** Returns a call's result in the model's form. */
async function resultOf(conversation: string, input: string): Promise<string> {
  const run = await api.startTurn({ conversation, input, groups: ["scripts"] });
  const [settled] = eventsOf(await api.finishedEvents(run), "call.settled");
  return settled?.result.finalText ?? assert.fail(`${input} called nothing`);
}

// Contract: scripts-72
test(
  "a model reads how to write a tool and checks its file, and the tool works after a user added and approved the file",
  { skip },
  async () => {
    const { id: conversation } = await api.createConversation();
    const rule = await resultOf(
      conversation,
      '/ReadVar {"name": "Rule/scripts/WriteATool", "length": 20000}',
    );
    const source = /```python\n(""".*?)```/s.exec(rule)?.[1] ?? "";
    assert.match(source, /def forecast\(/, rule.slice(0, 2_000));
    const input = `/CheckScript ${JSON.stringify({ language: "python", source })}`;
    const checked = await resultOf(conversation, input);
    assert.match(checked, /"problems": ?\[\]/, checked);
    await writeFile(join(folder.work, "capstan-tools", "weather.py"), source);
    await approveScript(folder, "weather.py");
    for (;;) {
      const { data } = await api.request<ListView<ToolGroupView>>("GET", "/v1/tools");
      if (data.some(({ name }) => name === "weather")) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const call = '/forecast {"city": "Bergen", "days": 1}';
    const run = await api.startTurn({ conversation, input: call, groups: ["weather"] });
    await api.firstEvent(run, "chain.waiting");
    const [approval] = await api.approvals(conversation);
    assert.ok(approval !== undefined);
    await api.answer(approval.id, { decision: "allow" });
    assert.match(
      spokenText(await api.finishedEvents(run)),
      /Bergen: \[\{'sky': 'rain', 'c': 9\}\]/,
    );
  },
);
