import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import OpenAI from "openai";
import { root } from "../scripts/command.ts";
import { createServerFolder, type ServerFolder, startServerProcess } from "./server-process.ts";

/** The configuration of the guide. */
async function guideSettings(): Promise<string> {
  const guide = await readFile(join(root, "docs/guides/agents.md"), "utf8");
  return /```json\n([^]*?)```/.exec(guide)?.[1] ?? assert.fail("The guide has no configuration.");
}

let folder: ServerFolder;
before(async () => {
  folder = await createServerFolder({ "capstan.config.json": await guideSettings() });
});
after(() => folder[Symbol.asyncDispose]());

const input = '/ViewFile {"path": "notes.txt"}';
const notes = /Buy rope\. Oil the capstan\./;

const keys = JSON.stringify([
  { name: "ann", key: "ANN", agent: "reader" },
  { name: "bob", key: "BOB" },
]);

test("the openai client gets tools through the agent of the guide, by its name or its key", async () => {
  await using server = await startServerProcess({
    folder,
    environment: { CAPSTAN_API_KEYS: keys },
  });
  const baseURL = `${server.url}/v1`;
  const client = new OpenAI({ baseURL, apiKey: "ANN", maxRetries: 0 });

  const models = (await client.models.list()).data;
  assert.deepEqual(models.at(-1)?.id, "reader");
  assert.equal(models.at(-1)?.owned_by, "capstan");

  const messages = [{ role: "user" as const, content: input }];
  const completion = await client.chat.completions.create({ model: "reader", messages });
  assert.equal(completion.model, "reader");
  assert.match(completion.choices[0]?.message.content ?? "", notes);
  assert.equal(completion.choices[0]?.message.tool_calls, undefined);

  for (const model of ["agent/reader", undefined]) {
    const response = await client.responses.create({ ...(model && { model }), input });
    assert.equal(response.model, model ?? "reader");
    assert.match(response.output_text, notes);
    assert.deepEqual(
      response.output.map(({ type }) => type),
      ["reasoning", "message"],
    );
    const [reasoning] = response.output;
    assert.ok(reasoning?.type === "reasoning");
    assert.equal(reasoning.summary[0]?.text, "Tool call ViewFile (files): succeeded.");
  }

  const example = [join(root, "examples/agent-client.ts"), baseURL];
  const env = { ...process.env, CAPSTAN_API_KEY: "BOB" };
  const { stdout } = await promisify(execFile)(process.execPath, example, { env });
  assert.match(stdout, notes);
});

test("an agent of a user remains after a restart, and only that user can select it", async () => {
  const start = () => startServerProcess({ folder, environment: { CAPSTAN_API_KEYS: keys } });
  const first = await start();
  const headers = { Authorization: "Bearer ANN", "Content-Type": "application/json" };
  const body = JSON.stringify({ name: "mine", model: "capstan/offline", groups: ["files"] });
  const made = await fetch(`${first.url}/v1/agents`, { method: "POST", headers, body });
  assert.equal(made.status, 200);
  await first.stop();

  await using second = await start();
  const clientOf = (apiKey: string) =>
    new OpenAI({ baseURL: `${second.url}/v1`, apiKey, maxRetries: 0 });
  const response = await clientOf("ANN").responses.create({ model: "mine", input });
  assert.match(response.output_text, notes);
  await assert.rejects(clientOf("BOB").responses.create({ model: "mine", input }), {
    code: "model_not_found",
  });
});
