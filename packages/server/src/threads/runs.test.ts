/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ModelError, type Tool } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { asking, tool } from "../testing/run-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

type Beta = ReturnType<typeof threadsClient>;
type Tools = NonNullable<Parameters<Beta["assistants"]["create"]>[0]["tools"]>;

interface Setup extends TestApp {
  readonly model: ScriptedModel;
  readonly threads: Beta["threads"];
  readonly assistantId: string;
  readonly threadId: string;
}

const weather = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: {} } },
} as const;
const own = toyTools as unknown as Tools;

/** Creates an app with an assistant and a thread with one message. */
async function setup(
  steps: readonly ScriptedStep[],
  { tools = [], offered = [] }: { readonly tools?: readonly Tool[]; readonly offered?: Tools } = {},
): Promise<Setup> {
  const model = new ScriptedModel(steps);
  const server = createTestApp({ model, tools });
  const { assistants, threads } = threadsClient(server);
  const made = await assistants.create({ model: model.id, tools: offered });
  const thread = await threads.create({ messages: [{ role: "user", content: "Hi" }] });
  return { ...server, model, threads, assistantId: made.id, threadId: thread.id };
}

const poll = { pollIntervalMs: 5 };

test("a streamed run has the events of the original API, and the same objects as GET", async () => {
  const { threads, threadId, assistantId } = await setup(["Hello there!"]);
  const stream = threads.runs.stream(threadId, { assistant_id: assistantId });
  const events: string[] = [];
  for await (const { event } of stream) events.push(event);
  assert.deepEqual(
    events.filter((name, n) => name !== events[n - 1]),
    [
      "thread.run.created",
      "thread.run.queued",
      "thread.run.in_progress",
      "thread.run.step.created",
      "thread.run.step.in_progress",
      "thread.message.created",
      "thread.message.in_progress",
      "thread.message.delta",
      "thread.message.completed",
      "thread.run.step.completed",
      "thread.run.completed",
    ],
  );
  const run = await stream.finalRun();
  assert.deepEqual(await threads.runs.retrieve(run.id, { thread_id: threadId }), run);
  const steps = (await threads.runs.steps.list(run.id, { thread_id: threadId })).data;
  assert.deepEqual(steps, await stream.finalRunSteps());
  const messages = (await threads.messages.list(threadId, { run_id: run.id })).data;
  assert.deepEqual(messages, await stream.finalMessages());
});

test("a function of the client suspends the run until its output is submitted", async () => {
  const { threads, threadId, assistantId, model } = await setup(
    [
      { text: "Let me look.", calls: [{ name: "weather", args: { city: "Oslo" }, id: "c1" }] },
      "Rain.",
    ],
    { offered: [weather] },
  );
  const run = await threads.runs.createAndPoll(threadId, { assistant_id: assistantId }, poll);
  assert.equal(run.status, "requires_action");
  assert.deepEqual(run.required_action?.submit_tool_outputs.tool_calls, [
    { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
  ]);
  const tool_outputs = [{ tool_call_id: "c1", output: "wet" }];
  const ended = await threads.runs.submitToolOutputsAndPoll(
    run.id,
    { thread_id: threadId, tool_outputs },
    poll,
  );
  assert.equal(ended.status, "completed");
  assert.equal(ended.required_action, null);
  assert.equal(model.requests[1]?.messages.at(-1)?.content, "wet");
  const steps = (await threads.runs.steps.list(run.id, { thread_id: threadId, order: "asc" })).data;
  assert.deepEqual(
    steps.map((step) => [step.type, step.status]),
    [
      ["message_creation", "completed"],
      ["tool_calls", "completed"],
      ["message_creation", "completed"],
    ],
  );
  const details = steps[1]?.step_details;
  assert.deepEqual(details?.type === "tool_calls" && details.tool_calls, [
    {
      id: "c1",
      type: "function",
      function: { name: "weather", arguments: '{"city":"Oslo"}', output: "wet" },
    },
  ]);
  const [step] = steps;
  assert.deepEqual(
    await threads.runs.steps.retrieve(step?.id ?? "", { thread_id: threadId, run_id: run.id }),
    step,
  );
  // The same outputs again change nothing, and others are a conflict.
  const again = await threads.runs.submitToolOutputs(run.id, { thread_id: threadId, tool_outputs });
  assert.deepEqual(again, ended);
  const other = [{ tool_call_id: "c1", output: "dry" }];
  await assert.rejects(
    threads.runs.submitToolOutputs(run.id, { thread_id: threadId, tool_outputs: other }),
    { status: 409 },
  );
});

test("outputs are submitted and the rest of the run is streamed", async () => {
  const { threads, threadId, assistantId } = await setup(
    [
      {
        calls: [
          { name: "weather", id: "c1" },
          { name: "weather", id: "c2" },
        ],
      },
      "Rain.",
    ],
    { offered: [weather] },
  );
  const first = threads.runs.stream(threadId, { assistant_id: assistantId });
  const run = await first.finalRun();
  assert.equal(run.status, "requires_action");
  const snapshot = first.currentRunStepSnapshot()?.step_details;
  assert.deepEqual(
    snapshot?.type === "tool_calls" &&
      snapshot.tool_calls.map((call) => call.type === "function" && call.function.arguments),
    ["{}", "{}"],
  );
  const outputs = ["c1", "c2"].map((id) => ({ tool_call_id: id, output: `of ${id}` }));
  const rest = threads.runs.submitToolOutputsStream(run.id, {
    thread_id: threadId,
    tool_outputs: outputs,
  });
  const events: string[] = [];
  rest.on("event", ({ event }) => events.push(event));
  const ended = await rest.finalRun();
  assert.equal(ended.status, "completed");
  assert.deepEqual(events.slice(0, 3), [
    "thread.run.queued",
    "thread.run.in_progress",
    "thread.run.step.completed",
  ]);
  const steps = (await threads.runs.steps.list(run.id, { thread_id: threadId, order: "asc" })).data;
  assert.deepEqual(steps, await rest.finalRunSteps());
});

test("outputs can be submitted one by one", async () => {
  const { threads, threadId, assistantId } = await setup(
    [
      {
        calls: [
          { name: "weather", id: "c1" },
          { name: "weather", id: "c2" },
        ],
      },
      "Rain.",
    ],
    { offered: [weather] },
  );
  const run = await threads.runs.createAndPoll(threadId, { assistant_id: assistantId }, poll);
  const submit = (id: string) =>
    threads.runs.submitToolOutputs(run.id, {
      thread_id: threadId,
      tool_outputs: [{ tool_call_id: id, output: id }],
    });
  const after = await submit("c2");
  assert.equal(after.status, "requires_action");
  assert.deepEqual(
    after.required_action?.submit_tool_outputs.tool_calls.map(({ id }) => id),
    ["c1"],
  );
  await submit("c1");
  const ended = await threads.runs.poll(run.id, { thread_id: threadId }, poll);
  assert.equal(ended.status, "completed");
  await assert.rejects(submit("c3"), { status: 400 });
});

test("tools of the server's groups run at the server, and are steps", async () => {
  const { threads, threadId, assistantId } = await setup(
    [{ calls: [{ name: "Read", args: { path: "a" }, id: "c1" }] }, "Done."],
    { tools: [tool("Read", () => "the text")], offered: own },
  );
  const stream = threads.runs.stream(threadId, { assistant_id: assistantId });
  const run = await stream.finalRun();
  assert.equal(run.status, "completed");
  const steps = (await threads.runs.steps.list(run.id, { thread_id: threadId, order: "asc" })).data;
  assert.deepEqual(steps, await stream.finalRunSteps());
  const details = steps[0]?.step_details;
  assert.deepEqual(details?.type === "tool_calls" && details.tool_calls, [
    {
      id: "c1",
      type: "function",
      function: { name: "Read", arguments: '{"path":"a"}', output: "the text" },
    },
  ]);
});

test("an approval waits inline, and the run stays in progress", async () => {
  const server = await setup([{ calls: [{ name: "Write", id: "c1" }] }, "Done."], {
    tools: [asking("Write", () => "written")],
    offered: own,
  });
  const { threads, threadId, assistantId, call } = server;
  const { id } = await threads.runs.create(threadId, { assistant_id: assistantId });
  let approvals: readonly { readonly id: string }[] = [];
  while (approvals.length === 0) {
    await nextTurn();
    approvals = (await call("GET", "/v1/approvals?status=pending")).body.data;
  }
  const waiting = await threads.runs.retrieve(id, { thread_id: threadId });
  assert.equal(waiting.status, "in_progress");
  assert.equal(waiting.required_action, null);
  await call("POST", `/v1/approvals/${approvals[0]?.id}`, { decision: "allow" });
  const ended = await threads.runs.poll(id, { thread_id: threadId }, poll);
  assert.equal(ended.status, "completed");
});

test("a thread has one active run, which can be cancelled", async () => {
  const { threads, threadId, assistantId } = await setup(
    [{ calls: [{ name: "weather", id: "c1" }] }, "Next."],
    { offered: [weather] },
  );
  const run = await threads.runs.createAndPoll(threadId, { assistant_id: assistantId }, poll);
  assert.equal(run.status, "requires_action");
  const active = { status: 400, code: "active_run" };
  await assert.rejects(threads.runs.create(threadId, { assistant_id: assistantId }), active);
  await assert.rejects(threads.messages.create(threadId, { role: "user", content: "x" }), active);
  const cancelled = await threads.runs.cancel(run.id, { thread_id: threadId });
  assert.equal(cancelled.status, "cancelled");
  assert.ok(cancelled.cancelled_at !== null);
  const [step] = (await threads.runs.steps.list(run.id, { thread_id: threadId })).data;
  assert.equal(step?.status, "cancelled");
  await assert.rejects(threads.runs.cancel(run.id, { thread_id: threadId }), { status: 400 });
  const next = await threads.runs.createAndPoll(threadId, { assistant_id: assistantId }, poll);
  assert.equal(next.status, "completed");
});

test("a failed run says why, and max_completion_tokens ends a run as incomplete", async () => {
  const failing = new ModelError({ code: "rate_limit", message: "Slow down." });
  const { threads, threadId, assistantId, model } = await setup([
    { error: failing, after: "Hal" },
    {
      events: [
        { type: "text-delta", text: "Hal" },
        { type: "finish", reason: "length", usage: { inputTokens: 5, outputTokens: 3 } },
      ],
    },
  ]);
  const stream = threads.runs.stream(threadId, { assistant_id: assistantId });
  const failed = await stream.finalRun();
  assert.equal(failed.status, "failed");
  assert.deepEqual(failed.last_error, { code: "rate_limit_exceeded", message: "Slow down." });
  const [message] = await stream.finalMessages();
  assert.equal(message?.status, "incomplete");
  assert.deepEqual(message?.incomplete_details, { reason: "run_failed" });
  const short = await threads.runs.createAndPoll(
    threadId,
    { assistant_id: assistantId, max_completion_tokens: 3 },
    poll,
  );
  assert.equal(short.status, "incomplete");
  assert.deepEqual(short.incomplete_details, { reason: "max_completion_tokens" });
  assert.equal(model.requests[1]?.maxOutputTokens, 3);
  const [cut] = (await threads.messages.list(threadId)).data;
  assert.deepEqual(
    [cut?.status, cut?.incomplete_details],
    ["incomplete", { reason: "max_tokens" }],
  );
});

test("token limits hold over all steps of a run", async () => {
  const usage = { inputTokens: 50, outputTokens: 10 };
  for (const [limit, reason] of [
    ["max_completion_tokens", "max_completion_tokens"],
    ["max_prompt_tokens", "max_prompt_tokens"],
  ] as const) {
    const { threads, threadId, assistantId } = await setup([{ calls: [{ name: "Read" }], usage }], {
      tools: [tool("Read", () => "x")],
      offered: own,
    });
    const run = await threads.runs.createAndPoll(
      threadId,
      { assistant_id: assistantId, [limit]: 10 },
      poll,
    );
    assert.deepEqual([run.status, run.incomplete_details], ["incomplete", { reason }]);
  }
});

test("tool_choice, response_format and parallel_tool_calls reach the model", async () => {
  const { threads, threadId, assistantId, model } = await setup(
    [{ calls: [{ name: "weather", id: "c1" }] }],
    { offered: [weather] },
  );
  const tool_choice = { type: "function", function: { name: "weather" } } as const;
  const response_format = { type: "json_object" } as const;
  const run = await threads.runs.createAndPoll(
    threadId,
    {
      assistant_id: assistantId,
      tool_choice,
      response_format,
      parallel_tool_calls: false,
      top_p: 0.5,
    },
    poll,
  );
  assert.deepEqual([run.tool_choice, run.response_format], [tool_choice, response_format]);
  const [request] = model.requests;
  assert.deepEqual(request?.toolChoice, { type: "function", name: "weather" });
  assert.deepEqual(request?.responseFormat, response_format);
  assert.equal(request?.parallelToolCalls, false);
  assert.equal(request?.topP, 0.5);
});

test("an invalid run is rejected with the name of the field, and leaves no trace", async () => {
  const { threads, threadId, assistantId } = await setup([]);
  const cases: readonly (readonly [object, string, number?])[] = [
    [{ assistant_id: "asst_x" }, "assistant_id", 404],
    [{ nonsense: 1 }, "nonsense"],
    [{ model: "" }, "model"],
    [{ tool_choice: { type: "function", function: { name: "none" } } }, "tool_choice"],
    [{ truncation_strategy: { type: "last_messages" } }, "truncation_strategy.last_messages"],
    [{ additional_messages: [{ role: "system", content: "x" }] }, "additional_messages[0].role"],
    [{ additional_messages: [{ role: "user", content: "" }] }, "additional_messages[0].content"],
    [{ max_prompt_tokens: 0 }, "max_prompt_tokens"],
    [{ tools: [{ type: "code_interpreter" }] }, "tools[0].type"],
    [{ thread: {} }, "thread"],
  ];
  for (const [body, param, status = 400] of cases)
    await assert.rejects(
      threads.runs.create(threadId, { assistant_id: assistantId, ...body } as never),
      { status, param },
      JSON.stringify(body),
    );
  assert.deepEqual((await threads.runs.list(threadId)).data, []);
  assert.equal((await threads.messages.list(threadId)).data.length, 1);
});

test("a repeated request with an idempotency key starts one run", async () => {
  const { threads, threadId, assistantId } = await setup(["Hello!"]);
  const create = () =>
    threads.runs.create(
      threadId,
      { assistant_id: assistantId },
      { headers: { "Idempotency-Key": "k" } },
    );
  const [first, second] = [await create(), await create()];
  assert.equal(second.id, first.id);
  await threads.runs.poll(first.id, { thread_id: threadId }, poll);
  assert.equal((await threads.runs.list(threadId)).data.length, 1);
});
