import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI, { toFile } from "openai";
import { createServerFolder, startServerProcess } from "./server-process.ts";
import { startUpstream } from "./upstream.ts";

const lease = "# Lease\n\nThe notice period is three months.\n\n# Rent\n\nThe rent is 900 euros.";

test("a request with file_search finds passages of a vector store, also after a kill", async () => {
  await using upstream = await startUpstream(({ messages }) => {
    const result = messages.find(({ role }) => role === "tool");
    if (result !== undefined) return { say: ["Three months, see lease.md."] };
    const args = { query: "notice periods" };
    return { calls: [{ name: "SearchDocuments", arguments: JSON.stringify(args) }] };
  });
  await using folder = await createServerFolder();
  let storeId = "";
  const clientOf = (url: string) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", maxRetries: 0 });
  {
    await using server = await startServerProcess({ folder, environment: upstream.environment });
    const client = clientOf(server.url);
    storeId = (await client.vectorStores.create({ name: "contracts" })).id;
    const files = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        toFile(Buffer.from(`Other text ${n}.`), `other-${n}.txt`),
      ),
    );
    const ids = await Promise.all(
      [...files, await toFile(Buffer.from(lease), "lease.md")].map(
        async (file) => (await client.files.create({ file, purpose: "assistants" })).id,
      ),
    );
    await client.vectorStores.fileBatches.create(storeId, { file_ids: ids });
    // The files are not all indexed yet.
    await server.kill();
  }
  await using server = await startServerProcess({ folder, environment: upstream.environment });
  const client = clientOf(server.url);
  for (;;) {
    const { file_counts: counts } = await client.vectorStores.retrieve(storeId);
    assert.deepEqual([counts.total, counts.failed], [21, 0]);
    if (counts.completed === 21) break;
  }
  const response = await client.responses.create({
    model: "custom/scripted",
    input: "What is the notice period?",
    tools: [{ type: "file_search", vector_store_ids: [storeId] }],
    include: ["file_search_call.results"],
  });
  const [call, message] = response.output;
  assert.ok(call?.type === "file_search_call" && message?.type === "message");
  assert.deepEqual(call.queries, ["notice periods"]);
  assert.deepEqual(
    call.results?.map(({ filename, score }) => [filename, score]),
    [["lease.md", 1]],
  );
  const [part] = message.content;
  assert.ok(part?.type === "output_text");
  assert.deepEqual(
    part.annotations.map((each) => each.type === "file_citation" && each.filename),
    ["lease.md"],
  );
  const assistant = await client.beta.assistants.create({
    model: "custom/scripted",
    tools: [{ type: "file_search" }],
    tool_resources: { file_search: { vector_store_ids: [storeId] } },
  });
  const run = await client.beta.threads.createAndRunPoll({
    assistant_id: assistant.id,
    thread: { messages: [{ role: "user", content: "What is the notice period?" }] },
  });
  assert.equal(run.status, "completed");
  const steps = await client.beta.threads.runs.steps.list(run.id, { thread_id: run.thread_id });
  assert.match(JSON.stringify(steps.data), /lease\.md/);
});
