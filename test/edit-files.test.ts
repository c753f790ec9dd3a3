// Files are edited over HTTP, with the diff in the approval request, even if the server is killed
// in between.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Api, createApi, spokenText } from "./api.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let server: ServerProcess;
let api: Api;

before(async () => {
  folder = resources.use(await createServerFolder());
  server = resources.use(await startServerProcess({ folder }));
  api = createApi(server.url);
});
after(() => resources.disposeAsync());

const notes = (): string => readFileSync(join(folder.work, "notes.txt"), "utf8");

/** Starts a turn with one call, and returns the run and the effect that its approval shows. */
async function ask(tool: string, args: object) {
  const { id: conversation } = await api.createConversation();
  const input = `/${tool} ${JSON.stringify(args)}`;
  const run = await api.startTurn({ conversation, input, groups: ["edit"] });
  const { approval } = await api.firstEvent(run, "approval.requested");
  return { run, approval: approval.id, effect: approval.preview?.text };
}

async function edit(search: string, replace: string) {
  return ask("EditFile", { path: "notes.txt", edits: [{ search, replace }] });
}

test("the approval shows the diff, the answer edits the file, and Undo restores it", async () => {
  const before = notes();
  const { run, approval, effect } = await edit("rope", "canvas");
  assert.match(effect ?? "", /^-Buy rope\.[^]*\+Buy canvas\./m);
  assert.equal(notes(), before, "nothing changes before the answer");
  await api.answer(approval, { decision: "allow" });
  const said = spokenText(await api.finishedEvents(run));
  assert.equal(notes(), before.replace("rope", "canvas"));
  const [change = ""] = /change_[0-9a-f]{24}/.exec(said) ?? [];
  const undone = await ask("Undo", { change });
  assert.match(undone.effect ?? "", /^-Buy canvas/m);
  await api.answer(undone.approval, { decision: "allow" });
  await api.finishedEvents(undone.run);
  assert.equal(notes(), before);
});

test("a file that changed after the request is not edited", async () => {
  const { run, approval } = await edit("rope", "canvas");
  writeFileSync(join(folder.work, "notes.txt"), "Buy rope. And paint.\n");
  await api.answer(approval, { decision: "allow" });
  const events = await api.finishedEvents(run);
  assert.match(JSON.stringify(events), /effect_changed|its effect changed/);
  assert.equal(notes(), "Buy rope. And paint.\n");
});

test("an approval that was open when the server was killed still shows its effect and is covered by it", async () => {
  const { run, approval } = await edit("paint", "varnish");
  await server.kill();
  server = resources.use(await startServerProcess({ folder }));
  api = createApi(server.url);
  const open = await api.request<{ preview?: { text: string }; shown?: object }>(
    "GET",
    `/v1/approvals/${approval}`,
  );
  assert.match(open.preview?.text ?? "", /\+Buy rope\. And varnish\./);
  assert.match(JSON.stringify(open.shown), /"effect"/);
  await api.answer(approval, { decision: "allow" });
  await api.finishedEvents(run);
  assert.equal(notes(), "Buy rope. And varnish.\n");
});
