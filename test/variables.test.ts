import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Api, createApi, eventsOf, spokenText } from "./api.ts";
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

const start = async () => {
  server = resources.use(await startServerProcess({ folder }));
  api = createApi(server.url);
};

before(async () => {
  const log = Array.from({ length: 3_000 }, (_, n) => `line ${n} of the ship's log`).join("\n");
  folder = resources.use(await createServerFolder({ "log.txt": log }));
  await start();
});

after(() => resources.disposeAsync());

async function turn(conversation: string, input: string) {
  const groups = ["files", "basic", "vars"];
  const run = await api.startTurn({ conversation, input, groups });
  return api.finishedEvents(run);
}

const own = async (conversation: string) =>
  (await api.variables(conversation)).filter(({ type }) => type !== "RULE");

// Contract: variables-15, variables-62
test("a user adds, reads, edits, pins and deletes a variable before anything has run", async () => {
  const { id } = await api.createConversation();
  const name = "notes/été #1: 50%";
  const added = await api.putVariable(id, name, { text: "Ahoy", desc: "a greeting", tags: ["x"] });
  assert.deepEqual(
    { name: added.name, type: added.type, text: added.text, desc: added.desc, tags: added.tags },
    { name, type: "USER_ADD", text: "Ahoy", desc: "a greeting", tags: ["x"] },
  );
  assert.deepEqual(
    (await own(id)).map((variable) => variable.name),
    [name],
  );
  assert.equal((await api.putVariable(id, name, { text: "Ahoy there" })).length, 10);
  const pinned = await api.putVariable(id, name, { keep: true });
  assert.deepEqual([pinned.keep, pinned.text, pinned.desc], [true, "Ahoy there", "a greeting"]);
  const slice = await api.readVariable(id, name, "?start=5&length=3");
  assert.deepEqual([slice.text, slice.start, slice.length], ["the", 5, 10]);
  await api.deleteVariable(id, name);
  await assert.rejects(api.readVariable(id, name), { status: 404 });
  await assert.rejects(api.deleteVariable(id, name), { status: 404 });
  assert.deepEqual(await own(id), []);
});

// Contract: variables-46
test("a user's variable is used by reference in the next turn, without passing through the model", async () => {
  const { id } = await api.createConversation();
  await api.putVariable(id, "greeting", { text: "ahoy from the drawer" });
  const events = await turn(id, '/Text {"operation":"upper","text":"$VAR_REF{{greeting}}"}');
  assert.match(spokenText(events), /AHOY FROM THE DRAWER/);
  const [proposed] = eventsOf(events, "call.proposed");
  assert.match(proposed?.argumentsText ?? "", /\$VAR_REF\{\{greeting\}\}/);
  assert.equal(proposed?.args?.["text"], "ahoy from the drawer");
});

test("a long result is truncated, stored in full, and used by reference in the next turn", async () => {
  const { id } = await api.createConversation();
  const [settled] = eventsOf(await turn(id, '/ViewFile {"path":"log.txt"}'), "call.settled");
  assert.ok(settled?.result.isTruncated);
  assert.ok((settled.result.tokens.withheld ?? 0) > 1_000);
  const name = settled.result.cacheVarResult ?? assert.fail("it is kept");
  const whole = await api.readVariable(id, name);
  assert.match(whole.text, /line 2999 of the ship's log/);
  const events = await turn(
    id,
    `/Text {"operation":"regex_find","pattern":"line 299\\\\d","text":"$VAR_REF{{${name}}}"}`,
  );
  assert.match(spokenText(events), /line 2990/);
  const list = await api.variables(id, "?type=ToolCallResult");
  assert.deepEqual(list.map((variable) => variable.name).toSorted(), ["Text_2", "ViewFile_1"]);
  const found = await api.variables(id, "?search=ViewFile");
  assert.ok(
    found.length > 0 && found.every((variable) => JSON.stringify(variable).includes("View")),
  );
});

// Contract: variables-5, variables-8, variables-61, variables-92
test("variables are found by kind, tag and words, and viewing a variable does not count as use", async () => {
  const { id } = await api.createConversation();
  await api.putVariable(id, "one", { text: "a😀b", desc: "a Chart", tags: ["sea", "old"] });
  await api.putVariable(id, "two", { text: "x", tags: ["sea"] });
  const names = async (query: string) =>
    (await api.variables(id, query)).map(({ name }) => name).toSorted();
  assert.deepEqual(await names("?tag=sea"), ["one", "two"]);
  assert.deepEqual(await names("?tag=old&type=USER_ADD&search=chart"), ["one"]);
  assert.deepEqual(await names("?tag=se"), []);
  // A page never ends within a character, and the pages join to the whole text.
  const [head, tail] = ["?start=0&length=2", "?start=3"];
  assert.equal((await api.readVariable(id, "one", head)).text, "a😀");
  assert.equal((await api.readVariable(id, "one", tail)).text, "b");
  await turn(id, '/Text {"operation":"upper","text":"$VAR_REF{{one}}"}');
  await api.readVariable(id, "one");
  const [used] = await api.variables(id, "?search=one&type=USER_ADD");
  assert.equal(used?.referenceCount, 1);
});

// Contract: variables-77, variables-78
test("variables belong to one conversation and are unchanged after a restart", async () => {
  const one = (await api.createConversation()).id;
  const two = (await api.createConversation()).id;
  await api.putVariable(one, "mine", { text: "one's", keep: true });
  await turn(one, "/DateTime");
  await assert.rejects(api.readVariable(two, "mine"), { status: 404 });
  const before = await own(one);
  assert.equal(await server.stop(), 0);
  await start();
  assert.deepEqual(
    (await own(one)).map(({ name, type, keep, length }) => ({ name, type, keep, length })),
    before.map(({ name, type, keep, length }) => ({ name, type, keep, length })),
  );
  assert.equal((await api.readVariable(one, "mine")).text, "one's");
  const events = await turn(one, '/Text {"operation":"upper","text":"$VAR_REF{{mine}}"}');
  assert.match(spokenText(events), /ONE'S/);
});

// Contract: variables-48
test("a reference to a deleted variable is an error with the nearest name", async () => {
  const { id } = await api.createConversation();
  await api.putVariable(id, "harbour", { text: "Kiel" });
  const events = await turn(id, '/Text {"operation":"upper","text":"$VAR_REF{{habour}}"}');
  const [settled] = eventsOf(events, "call.settled");
  assert.equal(settled?.status, "error");
  assert.match(settled.result.finalText, /harbour/);
});

// Contract: variables-10
test("rules can be read, but not changed or deleted", async () => {
  const { id } = await api.createConversation();
  await turn(id, "/DateTime");
  const [rule] = await api.variables(id, "?type=RULE");
  assert.ok(rule !== undefined);
  assert.ok((await api.readVariable(id, rule.name)).text.length > 100);
  await assert.rejects(api.putVariable(id, rule.name, { text: "anything goes" }), { status: 409 });
  await assert.rejects(api.deleteVariable(id, rule.name), { status: 409 });
});

// Contract: variables-65
test("invalid names and bodies are rejected and change nothing", async () => {
  const { id } = await api.createConversation();
  await assert.rejects(api.putVariable(id, "no text", {}), { status: 400 });
  await assert.rejects(api.putVariable(id, "bad}}", { text: "x" }), { status: 400 });
  await assert.rejects(api.putVariable(id, "bad:1:2", { text: "x" }), { status: 400 });
  await assert.rejects(api.putVariable(id, "typed", { text: 5 as never }), { status: 400 });
  await assert.rejects(api.variables(id, "?type=NONE"), { status: 400 });
  await assert.rejects(api.variables("conv_none"), { status: 404 });
  assert.deepEqual(await own(id), []);
});
