import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { root } from "../../scripts/command.ts";
import type { ChatRequest, ScriptedCall, UpstreamAnswer } from "../upstream.ts";
import { codexSkip, createCodex } from "./codex-process.ts";
import { model, serve } from "./served.ts";

/* Codex as its user starts it: a process, with the configuration of examples/codex, over real HTTP. */

const skip = codexSkip;

/** The results of tools after the last message of the user. */
function results({ messages }: ChatRequest): readonly string[] {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  return since.filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

function call(name: string, args: object): ScriptedCall {
  return { name, arguments: JSON.stringify(args) };
}

const shell = (cmd: string) => call("exec_command", { cmd });

/** Makes the calls of each step in turn, and then answers with the last results. */
function inSteps(...steps: readonly (readonly ScriptedCall[])[]) {
  return (request: ChatRequest): UpstreamAnswer => {
    const found = results(request);
    let done = 0;
    for (const calls of steps) {
      if (found.length <= done) return { calls };
      done += calls.length;
    }
    return { say: [`It said: ${found.join(" | ")}`] };
  };
}

/** Answers the message "Again." with a text. */
function inFirstTurn(answer: (request: ChatRequest) => UpstreamAnswer) {
  return (request: ChatRequest): UpstreamAnswer =>
    JSON.stringify(request.messages.at(-1)).includes("Again.")
      ? { say: ["Once more."] }
      : answer(request);
}

function toolNames(request: ChatRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map(({ function: { name } }) => name);
}

test("Codex: a text", { skip }, async () => {
  const { baseURL } = await serve({ answer: () => ({ say: ["Hel", "lo."] }) });
  const codex = await createCodex({ baseURL, model });
  const { answer, failures } = await codex.exec("Say hello.");
  assert.deepEqual([answer, failures], ["Hello.", []]);
});

test("Codex: a loop of shell commands, one after the other and in parallel", { skip }, async () => {
  const answer = inSteps([shell("cat notes.txt")], [shell("echo first"), shell("echo second")]);
  const { baseURL, requests } = await serve({ answer });
  const codex = await createCodex({ baseURL, model });
  const { answer: said, actions, failures } = await codex.exec("Read the notes.");
  assert.deepEqual(failures, []);
  assert.match(said ?? "", /Buy rope\..*first.*second/s);
  assert.deepEqual(actions, Array(3).fill("command_execution completed"));
  assert.equal(requests.length, 3);
  const names = toolNames(requests[0]);
  assert.ok(names.includes("exec_command"), names.join(", "));
  assert.ok(names.includes("multi_agent_v1__spawn_agent"), "tools in namespaces are offered");
});

// Contract: responses-7
test("Codex: an answer that must match a schema", { skip }, async () => {
  const schema = {
    type: "object",
    properties: { things: { type: "array", items: { type: "string" } } },
    required: ["things"],
    additionalProperties: false,
  };
  let asked = 0;
  const { baseURL, requests } = await serve({
    answer: () => ({ say: [asked++ === 0 ? '{"things":"rope"}' : '{"things":["rope"]}'] }),
  });
  const codex = await createCodex({ baseURL, model });
  const file = join(codex.work, "schema.json");
  await writeFile(file, JSON.stringify(schema));
  const { answer, failures } = await codex.exec("--output-schema", file, "What to buy?");
  assert.deepEqual([answer, failures], ['{"things":["rope"]}', []]);
  assert.equal(requests[0]?.response_format?.type, "json_schema");
});

const patch = "*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch\n";

// Contract: responses-14
test("Codex: a patch, whose grammar the server enforces", { skip }, async () => {
  const wrong = patch.replace("+made", "made");
  const { baseURL, requests } = await serve({
    models: ["scripted", "gpt-5.5"],
    answer: inSteps(
      [call("apply_patch", { input: wrong })],
      [call("apply_patch", { input: patch })],
    ),
  });
  const codex = await createCodex({ baseURL, model: "gpt-5.5" });
  const { answer, actions, failures } = await codex.exec("Make a file.");
  assert.deepEqual(failures, []);
  // The first patch never reached Codex.
  assert.deepEqual(actions, ["file_change completed"]);
  assert.equal(await readFile(join(codex.work, "made.txt"), "utf8"), "made\n");
  assert.match(answer ?? "", /does not match its grammar.*Success/s);
  assert.ok(toolNames(requests[0]).includes("apply_patch"));
});

/** A server of tools that Codex itself connects to. */
const ownServer = `
[mcp_servers.toys]
command = "${process.execPath}"
args = ["${join(root, "test/fixtures/mcp-server.ts")}"]
`;

// Contract: responses-9
test("Codex: a search for a tool of its own MCP server, and a call of it", { skip }, async () => {
  const { baseURL, requests } = await serve({
    models: ["scripted", "gpt-5.5"],
    answer: inSteps(
      [call("tool_search", { query: "knot" })],
      [call("mcp__toys__tie_knot", { rope: "short" })],
    ),
  });
  const codex = await createCodex({ baseURL, model: "gpt-5.5" }, ownServer);
  const { answer, actions, failures } = await codex.exec("Tie a knot.");
  assert.deepEqual(failures, []);
  assert.deepEqual(actions, ["mcp_tool_call completed"]);
  assert.match(answer ?? "", /mcp__toys__tie_knot.*tied the short rope/s);
  assert.ok(!toolNames(requests[0]).includes("mcp__toys__tie_knot"));
  assert.ok(toolNames(requests[1]).includes("mcp__toys__tie_knot"));
});

// Contract: responses-9
test("Codex: tools in the input, with a model that gets them only there", { skip }, async () => {
  const source = "const r = await tools.exec_command({ cmd: 'cat notes.txt' }); text(r.output);";
  const { baseURL, requests } = await serve({
    models: ["scripted", "gpt-6-sol"],
    answer: inSteps([call("exec", { input: source })]),
  });
  const codex = await createCodex({ baseURL, model: "gpt-6-sol" });
  const { answer, actions, failures } = await codex.exec("Read the notes.");
  assert.deepEqual(failures, []);
  assert.deepEqual(actions, ["command_execution completed"]);
  assert.match(answer ?? "", /Buy rope\./);
  assert.ok(toolNames(requests[0]).includes("exec"));
});

test("Codex: a conversation that is resumed", { skip }, async () => {
  const { baseURL, messages } = await serve({
    answer: inFirstTurn(inSteps([shell("echo once")])),
  });
  const codex = await createCodex({ baseURL, model });
  const first = await codex.exec("Run it.");
  assert.match(first.answer ?? "", /once/);
  const second = await codex.exec("resume", "--last", "Again.");
  assert.deepEqual([second.answer, second.failures], ["Once more.", []]);
  const said = messages().map((message) => message.trimEnd().split("\n").at(-1));
  assert.deepEqual(said.slice(-5), ["Run it.", "assistant:", "once", "once", "user: Again."]);
});

test("Codex: a group of the server through an agent", { skip }, async () => {
  const { baseURL, requests, messages } = await serve({
    configuration: { agents: { reader: { model, groups: ["files"] } } },
    answer: inFirstTurn(inSteps([call("ViewFile", { path: "notes.txt" })], [shell("echo local")])),
  });
  const codex = await createCodex({ baseURL, model: "reader" });
  const { answer, actions, failures } = await codex.exec("Read the server's notes.");
  assert.deepEqual(failures, []);
  // The server runs the call of its tool, and Codex its own.
  assert.deepEqual(actions, ["command_execution completed"]);
  assert.match(answer ?? "", /Oil the capstan\..*local/s);
  assert.equal(requests.length, 3);
  // Codex sends the server's results back, although it does not know such calls.
  await codex.exec("resume", "--last", "Again.");
  assert.match(messages().join("\n"), /tool: .*Oil the capstan/s);
  assert.equal(messages().at(-1), "user: Again.");
});

test("Codex: over WebSocket", { skip }, async () => {
  const { baseURL, requests } = await serve({ answer: inSteps([shell("cat notes.txt")]) });
  const codex = await createCodex({ baseURL, model }, "supports_websockets = true\n");
  const { answer, failures } = await codex.exec("Read the notes.");
  assert.deepEqual(failures, []);
  assert.match(answer ?? "", /Buy rope\./);
  assert.equal(requests.length, 2);
});

/** Waits for an approval request, and returns its id. */
async function openApproval(baseURL: string): Promise<string> {
  for (;;) {
    const response = await fetch(`${baseURL}/approvals?status=pending`);
    const { data } = (await response.json()) as { data: readonly { id: string }[] };
    if (data[0] !== undefined) return data[0].id;
    await setTimeout(40);
  }
}

test("Codex: waits while a user approves a call of the server elsewhere", { skip }, async () => {
  const { baseURL } = await serve({
    configuration: {
      agents: { reader: { model, groups: ["files"] } },
      rules: [{ tool: "files.*", execution: "ask-always", reason: "Private notes." }],
    },
    answer: inSteps([call("ViewFile", { path: "notes.txt" })]),
  });
  const codex = await createCodex({ baseURL, model: "reader" });
  const running = codex.exec("Read the server's notes.");
  const id = await openApproval(baseURL);
  await fetch(`${baseURL}/approvals/${id}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ decision: "allow" }),
  });
  const { answer, failures } = await running;
  assert.deepEqual(failures, []);
  assert.match(answer ?? "", /Oil the capstan\./);
});
