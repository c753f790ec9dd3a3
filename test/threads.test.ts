/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import OpenAI from "openai";
import { root } from "../scripts/command.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { place: { type: "string" } } },
  },
} as const;

const files = [
  { type: "mcp", server_label: "files", server_url: "capstan://groups/files" },
] as unknown as [];

test("the openai client runs threads, also when the server restarts while a run waits for it", async () => {
  await using folder = await createServerFolder({});
  const clientOf = ({ url }: { readonly url: string }) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: "local", maxRetries: 0 });
  const first = await startServerProcess({ folder });
  const before = clientOf(first);
  const example = [join(root, "examples/clients/openai-threads.js")];
  const env = { ...process.env, CAPSTAN_URL: `${first.url}/v1` };
  const { stdout } = await promisify(execFile)(process.execPath, example, { env });
  assert.match(stdout, /offline model/);

  const { assistants, threads } = before.beta;
  const assistant = await assistants.create({
    model: "capstan/offline",
    tools: [weather, ...files],
  });
  const thread = await threads.create({
    messages: [{ role: "user", content: '/ViewFile {"path": "notes.txt"}' }],
  });
  const poll = { pollIntervalMs: 20 };
  const read = await threads.runs.createAndPoll(thread.id, { assistant_id: assistant.id }, poll);
  assert.equal(read.status, "completed");
  const [answer] = (await threads.messages.list(thread.id)).data;
  const [text] = answer?.content ?? [];
  assert.match(text?.type === "text" ? text.text.value : "", /Buy rope\. Oil the capstan\./);

  await threads.messages.create(thread.id, {
    role: "user",
    content: '/get_weather {"place": "Oslo"}',
  });
  const asked = await threads.runs.stream(thread.id, { assistant_id: assistant.id }).finalRun();
  assert.equal(asked.status, "requires_action");
  const [call] = asked.required_action?.submit_tool_outputs.tool_calls ?? [];
  assert.deepEqual(JSON.parse(call?.function.arguments ?? ""), { place: "Oslo" });
  await first.stop();

  await using second = await startServerProcess({ folder });
  const { threads: again } = clientOf(second).beta;
  const ended = await again.runs
    .submitToolOutputsStream(asked.id, {
      thread_id: thread.id,
      tool_outputs: [{ tool_call_id: call?.id ?? "", output: "storm" }],
    })
    .finalRun();
  assert.equal(ended.status, "completed");
  const listed = (await again.messages.list(thread.id, { order: "asc" })).data;
  assert.deepEqual(
    listed.map(({ role }) => role),
    ["user", "assistant", "user", "assistant"],
  );
  const last = listed.at(-1)?.content[0];
  assert.match(last?.type === "text" ? last.text.value : "", /storm/);
});
