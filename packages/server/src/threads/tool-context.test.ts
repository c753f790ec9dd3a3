/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts, type ToolContext, withAnnotations } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

const poll = { pollIntervalMs: 5 };

/** Creates an app whose tools are bound to the hosted types, with four stored files. */
async function setup(steps: readonly ScriptedStep[], seen: unknown[]) {
  const show = async ({ files, tool: given, request, signal }: ToolContext) => {
    const names = await Promise.all(
      files.map(async (file) => `${file.name}: ${Buffer.from(await file.read(signal)).toString()}`),
    );
    seen.push({ names: names.toSorted(), given, metadata: request.metadata });
  };
  const model = new ScriptedModel(steps);
  const app = createTestApp({
    model,
    tools: [
      tool("Run", async (_args, context) => {
        await show(context);
        const source = { type: "base64", data: "aGk=" } as const;
        return contentParts([
          { type: "text", text: "4" },
          { type: "image", mimeType: "image/png", source },
        ]);
      }),
      tool("Find", async (_args, context) => {
        await show(context);
        const cited = { type: "file_citation", fileId: "file-x", filename: "x.md" } as const;
        return withAnnotations("found", [cited]);
      }),
    ],
    hostedTools: { code_interpreter: "g.Run", file_search: "g.Find" },
  });
  const upload = async (name: string) => {
    const form = new FormData();
    form.set("purpose", "assistants");
    form.set("file", new File([`text of ${name}`], name, { type: "text/plain" }));
    const request = new Request("http://127.0.0.1/v1/files", { method: "POST", body: form });
    return ((await (await app.fetch(request)).json()) as { readonly id: string }).id;
  };
  const files = await Promise.all(["a", "b", "c", "d"].map((name) => upload(`${name}.txt`)));
  const { assistants, threads } = threadsClient(app);
  return { ...app, model, assistants, threads, files: files as [string, string, string, string] };
}

const code = (id: string) => ({ calls: [{ name: "Run", args: { code: "2+2" }, id }] });
const search = (id: string) => ({ calls: [{ name: "Find", args: { query: "x" }, id }] });

// Contract: plugins-95, plugins-96
test("resources and attachments become files of the tools of their types", async () => {
  const seen: unknown[] = [];
  const { assistants, threads, files } = await setup([code("c1"), search("c2"), "Done."], seen);
  const [a, b, c, d] = files;
  const assistant = await assistants.create({
    model: "test/scripted",
    tools: [
      { type: "code_interpreter" },
      { type: "file_search", file_search: { max_num_results: 3 } },
    ],
    tool_resources: {
      code_interpreter: { file_ids: [a] },
      file_search: { vector_store_ids: ["vs_1"] },
    },
  });
  const tool_resources = { code_interpreter: { file_ids: [b] } };
  const thread = await threads.create({
    messages: [
      {
        role: "user",
        content: "Go",
        attachments: [
          { file_id: c, tools: [{ type: "file_search" }] },
          { file_id: d, tools: [] },
        ],
      },
    ],
    tool_resources,
  });
  assert.deepEqual(thread.tool_resources, tool_resources);
  const run = await threads.runs.createAndPoll(
    thread.id,
    { assistant_id: assistant.id, metadata: { k: "v" } },
    poll,
  );
  assert.equal(run.status, "completed", JSON.stringify(run.last_error));
  assert.deepEqual(seen, [
    {
      names: ["a.txt: text of a.txt", "b.txt: text of b.txt", "d.txt: text of d.txt"],
      given: { type: "code_interpreter", container: { type: "auto", file_ids: [a, b] } },
      metadata: { k: "v" },
    },
    {
      // The picture that the first tool returned is a file of the conversation.
      names: ["c.txt: text of c.txt", "d.txt: text of d.txt", "image-1.png: hi"],
      given: { type: "file_search", max_num_results: 3, vector_store_ids: ["vs_1"] },
      metadata: { k: "v" },
    },
  ]);
});

// Contract: plugins-97
test("calls of hosted types are steps of their types, in streams and GET", async () => {
  const { assistants, threads } = await setup([code("c1"), search("c2"), "Done."], []);
  const tools = [{ type: "code_interpreter" }, { type: "file_search" }] as const;
  const made = await assistants.create({ model: "test/scripted", tools: [...tools] });
  const { id } = await threads.create({ messages: [{ role: "user", content: "Go" }] });
  const stream = threads.runs.stream(id, { assistant_id: made.id });
  const run = await stream.finalRun();
  const steps = (await threads.runs.steps.list(run.id, { thread_id: id, order: "asc" })).data;
  assert.deepEqual(steps, await stream.finalRunSteps());
  const calls = steps.flatMap(({ step_details: details }) =>
    details.type === "tool_calls" ? details.tool_calls : [],
  );
  assert.deepEqual(
    calls.map(({ type }) => type),
    ["code_interpreter", "file_search"],
  );
  assert.partialDeepStrictEqual(calls[0], {
    code_interpreter: { input: "2+2", outputs: [{ type: "logs" }] },
  });
  assert.deepEqual(calls[1]?.type === "file_search" && calls[1].file_search.results?.[0], {
    file_id: "file-x",
    file_name: "x.md",
    score: 0,
    content: [{ type: "text", text: "found" }],
  });
});

test("forcing a hosted type forces its bound tool, and a type without one is rejected", async () => {
  const { assistants, threads, model } = await setup(["Done."], []);
  const made = await assistants.create({
    model: "test/scripted",
    tools: [{ type: "code_interpreter" }],
  });
  const { id } = await threads.create({ messages: [{ role: "user", content: "Go" }] });
  await threads.runs.createAndPoll(
    id,
    { assistant_id: made.id, tool_choice: { type: "code_interpreter" } },
    poll,
  );
  assert.deepEqual(model.requests[0]?.toolChoice, { type: "function", name: "Run" });
  assert.deepEqual(
    model.requests[0]?.tools.map((each) => each.function.name),
    ["Run"],
  );
  await assert.rejects(
    threads.runs.create(id, { assistant_id: made.id, tool_choice: { type: "file_search" } }),
    { status: 400, param: "tool_choice" },
  );
});

test("an attachment that no tool reads is given to the model", async () => {
  const { assistants, threads, files, model } = await setup(["Done.", "Done."], []);
  const made = await assistants.create({ model: "test/scripted" });
  const [file] = files;
  const attachments = [{ file_id: file, tools: [{ type: "file_search" as const }] }];
  const { id } = await threads.create({
    messages: [{ role: "user", content: "Read", attachments }],
  });
  await threads.runs.createAndPoll(id, { assistant_id: made.id }, poll);
  const [message] = model.requests[0]?.messages ?? [];
  assert.partialDeepStrictEqual(message?.content, [
    { type: "text", text: "Read" },
    { type: "file", name: "a.txt", mimeType: "text/plain" },
  ]);
  await assert.rejects(
    threads.messages.create(id, {
      role: "user",
      content: [{ type: "image_file", image_file: { file_id: "file-other" } }],
    }),
    { status: 404 },
  );
});

// Contract: plugins-98
test("tools without execute suspend a run of a thread, and other APIs offer them only if the agent says so", async () => {
  const { execute: _none, ...send } = tool("Send", () => "");
  const group = { groups: [{ group: "g" }] };
  const app = createTestApp({
    model: new ScriptedModel([
      { calls: [{ name: "Send", id: "c1" }] },
      (request) => `tools: ${request.tools.map((each) => each.function.name).join()}`,
      (request) => `tools: ${request.tools.map((each) => each.function.name).join()}`,
    ]),
    tools: [send],
    agents: {
      quiet: { ...group, functions: [{ name: "mail" }] },
      open: { ...group, functions: [{ name: "mail" }], offer_client_tools: true },
    },
  });
  const { threads } = threadsClient(app);
  const run = await threads.createAndRunPoll(
    { assistant_id: "quiet", thread: { messages: [{ role: "user", content: "Go" }] } },
    poll,
  );
  assert.equal(run.status, "requires_action");
  const answers: string[] = [];
  for (const model of ["quiet", "open"]) {
    const body = { model, messages: [{ role: "user", content: "Go" }] };
    const response = await app.fetch(requestTo("POST", "/v1/chat/completions", body));
    const { choices } = (await response.json()) as {
      readonly choices: readonly { readonly message: { readonly content: string } }[];
    };
    answers.push(choices[0]?.message.content ?? "");
  }
  assert.deepEqual(answers, ["tools: ", "tools: Send,mail"]);
});
