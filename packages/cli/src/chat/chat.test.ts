import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ConversationView,
  FileView,
  RunEvent,
  RunWithEvents,
  ToolGroupView,
  ToolView,
} from "@capstan/contract";
import { createFakeTerminal, type FakeTerminal } from "../testing/fake-terminal.ts";
import { chainEnded, numbered, spokenText } from "../testing/run-events.ts";
import { ApiError, type StartRun } from "@capstan/client";
import { chat, type ChatOptions } from "./chat.ts";
import type { ChatClient } from "./chat-session.ts";
import { plainStyle } from "../terminal/style.ts";

function conversation(id: string): ConversationView {
  const switches = { groups: { web: false }, tools: {} };
  return {
    id,
    object: "conversation",
    title: "A talk",
    created_at: 0,
    updated_at: 0,
    metadata: {},
    head: null,
    head_status: null,
    switches,
    state: "open",
  };
}

function group(name: string, on: boolean): ToolGroupView {
  return {
    name,
    object: "tool_group",
    title: name,
    description: "",
    default_enabled: on,
    tools: [],
  };
}

const answer = numbered([...spokenText("i1", "Hello."), chainEnded()]);

/** A server that gives every message the same answer. */
function createServer(changes: Partial<ChatClient> = {}) {
  const started: StartRun[] = [];
  const cancelled: string[] = [];
  let conversations = 0;
  const client: ChatClient = {
    url: "http://127.0.0.1:1",
    info: () =>
      Promise.resolve({
        object: "capstan",
        version: "1.2.3",
        model: { id: "capstan/offline", reason: "no key is set" },
        authentication: false,
        approvals_from: "anyone",
        rights: ["ask", "approve", "admin"],
        scripts: false,
        retention: { days: null, megabytes: null },
        providers: false,
        configuration_waits: false,
        sharing: false,
      }),
    models: () =>
      Promise.resolve(
        ["capstan/offline", "openai/gpt-5.5"].map((id) => ({
          id,
          object: "model" as const,
          created: 0,
          owned_by: "",
          title: id,
          default: false,
          reason: "because",
        })),
      ),
    toolGroups: () =>
      Promise.resolve([group("files", true), group("web", true), group("vars", false)]),
    createConversation: () => Promise.resolve(conversation(`conv_${++conversations}`)),
    conversation: (id) => Promise.resolve(conversation(id)),
    conversations: () =>
      Promise.resolve({
        object: "list",
        data: [conversation("conv_newest"), conversation("conv_older")],
        first_id: "conv_newest",
        last_id: "conv_older",
        has_more: false,
      }),
    uploadFile: () => Promise.reject(new Error("No file was expected.")),
    latestConversation: () => Promise.resolve(conversation("conv_newest")),
    runs: () => Promise.resolve([]),
    runsOfUnknownOutcome: () => Promise.resolve([]),
    calls: () => Promise.resolve([]),
    answerOutcome: () => Promise.reject(new Error("nothing is unknown")),
    variables: () => Promise.resolve([]),
    grants: () => Promise.resolve([]),
    revokeGrant: () => Promise.reject(new Error("nothing was granted")),
    variable: () => Promise.reject(new Error("not asked for")),
    startRun: (run) => {
      started.push(run);
      return Promise.resolve({ id: `run_${started.length}` });
    },
    async *events(): AsyncGenerator<RunEvent> {
      yield* answer;
    },
    cancelRun: (run) => {
      cancelled.push(run);
      return Promise.reject(new Error("not played"));
    },
    answerApproval: () => Promise.reject(new Error("not asked for")),
    approvalVariable: () => Promise.reject(new Error("not asked for")),
    review: () => Promise.reject(new Error("not asked for")),
    previewReview: () => Promise.reject(new Error("not asked for")),
    ...changes,
  };
  return { client, started, cancelled };
}

function talk(client: ChatClient, terminal: FakeTerminal, options: Partial<ChatOptions> = {}) {
  return chat({ client, terminal, style: plainStyle, yes: false, ...options });
}

test("messages of one chat share a conversation, which the first one creates, and offer the enabled groups", async () => {
  const { client, started } = createServer();
  const terminal = createFakeTerminal(["hi", "", "/ListFiles {}", "/new", "again"]);
  assert.equal(await talk(client, terminal), 0);
  assert.deepEqual(
    started.map(({ conversation, text, groups, model }) => [conversation, text, groups, model]),
    [
      ["conv_1", "hi", ["files"], "capstan/offline"],
      ["conv_1", "/ListFiles {}", ["files"], "capstan/offline"],
      ["conv_2", "again", ["files"], "capstan/offline"],
    ],
  );
  assert.match(terminal.text(), /^Capstan 1\.2\.3 · capstan\/offline \(no key is set\)\n/);
});

test("/chats lists conversations by number, and continues one", async () => {
  const { client, started } = createServer();
  const terminal = createFakeTerminal(["/chats", "/chats 2", "hi", "/chats 9"]);
  await talk(client, terminal);
  assert.match(terminal.text(), /^ {2}1 {2}A talk {2}.*\n {2}2 {2}A talk/m);
  assert.deepEqual(
    started.map(({ conversation }) => conversation),
    ["conv_older"],
  );
  assert.match(terminal.text(), /no conversation with the number 9\. \/chats lists them/);
});

test("/tools lists the offered tools, and shows one", async () => {
  const tool = (name: string, unavailable: ToolView["unavailable"] = null): ToolView => ({
    id: `files.${name}`,
    name,
    description: `${name} does it.\nAnd more.`,
    parameters: { type: "object" },
    default_enabled: true,
    always_offered: false,
    execution: "auto",
    unavailable,
  });
  const missing = { needs: "a key", fix: null };
  const tools = [tool("ViewFile"), tool("Search", missing)];
  const groups = [{ ...group("files", true), tools }, group("web", false)];
  const { client } = createServer({ toolGroups: () => Promise.resolve(groups) });
  const terminal = createFakeTerminal(["/tools", "/tools ViewFile", "/tools ViewFil"]);
  await talk(client, terminal);
  assert.match(terminal.text(), /^files\n {2}ViewFile {2}ViewFile does it\.$/m);
  assert.match(terminal.text(), /^files: ViewFile\nViewFile does it\.\nAnd more\.\n\{/m);
  assert.match(terminal.text(), /not offered a tool ViewFil\. Did you mean ViewFile\?/);
  assert.doesNotMatch(terminal.text(), /Search/);
});

test("a file that the user names is uploaded with the message, but not from a pipe", async () => {
  const uploaded: File[] = [];
  const file: FileView = {
    id: "file-1",
    object: "file",
    bytes: 1,
    created_at: 0,
    filename: "",
    purpose: "user_data",
    status: "processed",
  };
  const { client, started } = createServer({
    uploadFile: (given) => {
      uploaded.push(given);
      return Promise.resolve(file);
    },
  });
  const path = import.meta.filename;
  const terminal = createFakeTerminal([`Read @${path}`, "/Tool @missing.txt"]);
  await talk(client, terminal);
  await talk(client, createFakeTerminal([`Read @${path}`], false));
  assert.deepEqual(
    uploaded.map(({ name }) => name),
    ["chat.test.ts"],
  );
  assert.deepEqual(
    started.map(({ files }) => files?.map(({ id }) => id)),
    [["file-1"], [], []],
  );
  assert.match(terminal.text(), /Attached chat\.test\.ts, \d+ kB\./);
  assert.match(terminal.text(), /no file missing\.txt here, so @missing\.txt was sent as text/);
});

test("a pipe gets only the answers", async () => {
  const { client } = createServer();
  const terminal = createFakeTerminal(["one", "two"], false);
  assert.equal(await talk(client, terminal), 0);
  assert.equal(terminal.answers(), "Hello.\nHello.\n");
});

test("a failed turn is reported, the next message is sent, and a pipe's exit code is 1", async () => {
  const { client, started } = createServer();
  let failures = 1;
  const failing = {
    ...client,
    startRun: (run: StartRun) =>
      failures-- > 0
        ? Promise.reject(new ApiError({ status: 409, code: "conflict", message: "It moved on." }))
        : client.startRun(run),
  };
  const terminal = createFakeTerminal(["one", "two"], false);
  assert.equal(await talk(failing, terminal), 1);
  assert.match(terminal.text(), /It moved on\./);
  assert.deepEqual(
    started.map(({ text }) => text),
    ["two"],
  );
});

test("a line that ends with a backslash continues in the next one", async () => {
  const { client, started } = createServer();
  await talk(client, createFakeTerminal(["/A {}\\", "/B {}"]));
  assert.deepEqual(
    started.map(({ text }) => text),
    ["/A {}\n/B {}"],
  );
});

test("a model is selected by its name, and an unknown name suggests the nearest one", async () => {
  const { client, started } = createServer();
  const terminal = createFakeTerminal(["/model", "/model ofline", "/model openai/gpt-5.5", "hi"]);
  await talk(client, terminal);
  assert.match(terminal.text(), /\* capstan\/offline {2}because\n {2}openai\/gpt-5\.5/);
  assert.match(terminal.text(), /There is no model ofline\./);
  assert.equal(started[0]?.model, "openai/gpt-5.5");
});

test("--continue shows the last turn, follows it to its end, and keeps its model", async () => {
  const run: RunWithEvents = {
    id: "run_old",
    object: "run",
    conversation: "conv_newest",
    previous: null,
    status: "in_progress",
    waiting: [],
    model: "openai/gpt-5.5",
    input: [],
    input_cut: false,
    created_at: 0,
    ended_at: null,
    error: null,
    usage: null,
    stats: null,
    last_seq: 2,
    events: answer.slice(0, 2),
  };
  const asked: number[] = [];
  const { client, started } = createServer({
    runs: () => Promise.resolve([run]),
    async *events(_run, after) {
      asked.push(after);
      yield* answer.slice(after);
    },
  });
  const terminal = createFakeTerminal(["more"]);
  await talk(client, terminal, { resume: "newest" });
  assert.deepEqual(asked[0], 2);
  assert.match(terminal.text(), /A talk · conv_newest · 1 turn\nHello\.\n/);
  assert.deepEqual(
    started.map(({ conversation, model }) => [conversation, model]),
    [["conv_newest", "openai/gpt-5.5"]],
  );
});

test("Ctrl+C stops the answer, and a second Ctrl+C leaves", async () => {
  const shown = Promise.withResolvers<void>();
  const { client, cancelled } = createServer({
    async *events(_run, _after, signal): AsyncGenerator<RunEvent> {
      yield* answer.slice(0, 2);
      shown.resolve();
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    },
  });
  const terminal = createFakeTerminal(["hi", "never sent"]);
  const talking = talk(client, terminal);
  await shown.promise;
  terminal.interrupt();
  assert.deepEqual(cancelled, ["run_1"]);
  terminal.interrupt();
  assert.equal(await talking, 0);
  assert.match(terminal.text(), /Stopping; press Ctrl\+C again to leave\./);
});
