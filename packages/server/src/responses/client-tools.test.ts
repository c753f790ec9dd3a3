import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message, ModelEvent } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { assertStreamGrammar } from "../testing/stream-grammar.ts";
import type { ResponseStreamEvent } from "./projection/wire.ts";

interface Item {
  readonly [member: string]: unknown;
  readonly type: string;
  readonly id: string;
  readonly call_id: string;
}

/** Starts an app whose model follows the steps, and returns functions that send requests to it. */
function serve(...steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  const { call, fetch } = createTestApp({ model });
  const create = async (body: object) => {
    const { status, body: answer } = await call("POST", "/v1/responses", body);
    const output = answer.output as readonly unknown[] as readonly Item[];
    return { status, id: answer.id, output, error: answer.error };
  };
  const stream = async (body: object): Promise<readonly ResponseStreamEvent[]> => {
    const response = await fetch(requestTo("POST", "/v1/responses", { ...body, stream: true }));
    return (await response.text())
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice("data: ".length)) as ResponseStreamEvent);
  };
  const input = async (id: string) => {
    const { body } = await call("GET", `/v1/responses/${id}/input_items?order=asc`);
    return body.data as readonly unknown[] as readonly Item[];
  };
  return { model, create, stream, input, call };
}

/** The calls and results in a model's last request, in the form `NAME ARGUMENTS` and `> RESULT`. */
function shown(model: ScriptedModel): readonly string[] {
  const messages: readonly Message[] = model.requests.at(-1)?.messages ?? [];
  return messages.flatMap((message) => {
    if (message.role === "tool") return [`> ${message.content}`];
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    return calls.map(({ function: called }) => `${called.name} ${called.arguments}`);
  });
}

function names(model: ScriptedModel, request = -1): readonly string[] {
  return (model.requests.at(request)?.tools ?? []).map((tool) => tool.function.name);
}

const user = { role: "user", content: "Go on." };

const builtIns = [
  {
    tool: { type: "local_shell" },
    args: { command: ["ls", "-l"], env: { A: "b" }, timeout_ms: 5, working_directory: "/tmp" },
    members: {
      action: {
        type: "exec",
        command: ["ls", "-l"],
        env: { A: "b" },
        timeout_ms: 5,
        working_directory: "/tmp",
      },
    },
    opening: { action: { type: "exec", command: [], env: {} } },
    output: { type: "local_shell_call_output", output: "README.md" },
    reads: "README.md",
    wrong: { command: "ls -l | wc", timeout_ms: -1 },
    problem: /timeout_ms/,
  },
  {
    tool: { type: "shell", environment: { type: "local" } },
    args: { commands: ["ls", "pwd"], timeout_ms: 10 },
    members: {
      action: { commands: ["ls", "pwd"], timeout_ms: 10, max_output_length: null },
      environment: { type: "local" },
    },
    opening: { action: { commands: [], timeout_ms: null, max_output_length: null } },
    output: {
      type: "shell_call_output",
      output: [{ stdout: "a.txt", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    },
    reads: '[{"stdout":"a.txt","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
    wrong: { commands: [] },
    problem: /commands/,
  },
  {
    tool: { type: "apply_patch" },
    args: { operation: { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" } },
    members: { operation: { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" } },
    opening: { operation: { type: "update_file", path: "a.txt", diff: "" } },
    output: { type: "apply_patch_call_output", status: "failed", output: "no such file" },
    reads: "failed: no such file",
    wrong: { operation: { type: "update_file", path: "a.txt" } },
    problem: /diff/,
  },
  {
    tool: { type: "tool_search", execution: "client" },
    args: { query: "pay", limit: 2 },
    members: { execution: "client", arguments: { query: "pay", limit: 2 } },
    opening: { arguments: {} },
    output: {
      type: "tool_search_output",
      execution: "client",
      tools: [{ type: "function", name: "Pay", description: "Pays." }],
    },
    reads: "These tools can be called now:\n- Pay: Pays.",
    wrong: { limit: 2 },
    problem: /query/,
  },
] as const;

for (const { tool, args, members, opening, output, reads, wrong, problem } of builtIns) {
  const name = tool.type;

  // Contract: responses-15
  test(`the client gets a call of ${name}, and the model its output, with stored and unstored responses`, async () => {
    for (const store of [true, false]) {
      const { model, create, input } = serve({ calls: [{ name, args }] }, "Done.");
      const first = await create({ input: [user], tools: [tool], store });
      assert.deepEqual(names(model), [name]);
      const [call] = first.output;
      assert.ok(call !== undefined);
      const { id: _id, call_id, ...rest } = call;
      assert.deepEqual(rest, { type: `${name}_call`, status: "completed", ...members });
      const answer = { ...output, call_id };
      const history = store
        ? { previous_response_id: first.id, input: [answer] }
        : { input: [user, call, answer] };
      const second = await create({ ...history, tools: [tool], store });
      assert.deepEqual([second.status, second.error?.message], [200, undefined]);
      assert.deepEqual(shown(model), [`${name} ${JSON.stringify(args)}`, `> ${reads}`]);
      if (!store) continue;
      const [listed] = await input(second.id);
      const { id: listedId, ...stored } = listed ?? { id: "" };
      assert.deepEqual(stored, { status: "completed", ...answer });
      assert.match(listedId, /_in$/);
    }
  });

  test(`a call of ${name} is streamed as one item without deltas`, async () => {
    const { stream } = serve({ calls: [{ name, args }] });
    const events = await stream({ input: [user], tools: [tool] });
    assertStreamGrammar(events);
    const [added] = events.flatMap((event) =>
      event.type === "response.output_item.added" ? [event.item] : [],
    );
    // All members, without content.
    assert.deepEqual(added, { ...added, status: "in_progress", ...opening });
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
      ],
    );
  });

  test(`invalid arguments of ${name} go back to the model, and the client does not see them`, async () => {
    const { model, create } = serve(
      { calls: [{ name, args: wrong }] },
      { calls: [{ name, args }] },
    );
    const { output } = await create({ input: [user], tools: [tool] });
    assert.equal(output.length, 1);
    assert.match(shown(model).at(-1) ?? "", problem);
  });
}

// Contract: responses-15, responses-1
test("a call that a limit cut off is shown as incomplete, with all its members", async () => {
  for (const { tool } of builtIns) {
    const name = tool.type;
    const half = '{"op';
    const events: readonly ModelEvent[] = [
      { type: "tool-call-start", id: "c1", name },
      { type: "tool-call-delta", id: "c1", delta: half },
      { type: "tool-call-end", id: "c1", name, arguments: half },
      { type: "finish", reason: "length", usage: { inputTokens: 1, outputTokens: 1 } },
    ];
    const { create } = serve({ events });
    const { output } = await create({ input: [user], tools: [tool] });
    const [call] = output;
    assert.deepEqual([call?.type, call?.["status"]], [`${name}_call`, "incomplete"]);
    assert.ok(call?.["action"] ?? call?.["operation"] ?? call?.["arguments"]);
  }
});

// Contract: responses-15
test("a patch that deletes a file has no diff", async () => {
  const operation = { type: "delete_file", path: "a.txt", diff: "" };
  const { create } = serve({ calls: [{ name: "apply_patch", args: { operation } }] });
  const { output } = await create({ input: [user], tools: [{ type: "apply_patch" }] });
  assert.deepEqual(output[0]?.["operation"], { type: "delete_file", path: "a.txt" });
});

// Contract: responses-15
test("all ways to answer a call give the model the same messages", async () => {
  for (const { tool, args, output } of builtIns) {
    const { model, create } = serve(
      { calls: [{ name: tool.type, args }] },
      ...Array.from({ length: 6 }, () => "Done."),
    );
    const first = await create({ input: [user], tools: [tool] });
    const [call] = first.output;
    assert.ok(call !== undefined);
    const answer = { ...output, call_id: call.call_id };
    const reference = { type: "item_reference", id: call.id };
    const previous_response_id = first.id;
    const histories = [
      { input: [user, call, answer] },
      { input: [user, reference, answer] },
      { input: [reference, answer] },
      { previous_response_id, input: [answer] },
      { previous_response_id, input: [call, answer] },
      { previous_response_id, input: [reference, answer] },
    ];
    const seen: (readonly Message[] | undefined)[] = [];
    for (const history of histories) {
      const { status, error } = await create({ ...history, tools: [tool] });
      assert.deepEqual([status, error?.message], [200, undefined]);
      seen.push(model.requests.at(-1)?.messages);
    }
    for (const messages of seen) assert.deepEqual(messages, seen[0], tool.type);
  }
});

// Contract: responses-15
test("an output of a local shell can name its call by the id of the call's item", async () => {
  const args = { command: ["ls"] };
  const tools = [{ type: "local_shell" }];
  const { model, create } = serve({ calls: [{ name: "local_shell", args }] }, "Done.", "Done.");
  const first = await create({ input: [user], tools });
  const [call] = first.output;
  assert.ok(call !== undefined);
  const output = { type: "local_shell_call_output", id: call.id, output: "a.txt" };
  const histories = [
    { previous_response_id: first.id, input: [output] },
    { input: [user, call, output] },
  ];
  for (const history of histories) {
    const { status, error } = await create({ ...history, tools });
    assert.deepEqual([status, error?.message], [200, undefined]);
    assert.equal(shown(model).at(-1), "> a.txt");
  }
});

const group = {
  type: "namespace",
  name: "mcp__files",
  description: "Tools for files.",
  tools: [
    { type: "function", name: "read", description: "Reads.", parameters: { type: "object" } },
    { type: "custom", name: "query" },
  ],
};

// Contract: responses-16
test("tools of a namespace are offered with its name, and their items keep both names", async () => {
  const { model, create, stream } = serve(
    {
      calls: [
        { name: "mcp__files__read", args: {} },
        { name: "mcp__files__query", args: { input: "all" } },
      ],
    },
    "Done.",
    { calls: [{ name: "mcp__files__read", args: {} }] },
  );
  const first = await create({ input: [user], tools: [group], store: false });
  assert.deepEqual(names(model), ["mcp__files__read", "mcp__files__query"]);
  assert.equal(
    model.requests[0]?.tools[0]?.function.description,
    "Reads.\n\n(mcp__files: Tools for files.)",
  );
  assert.deepEqual(
    first.output.map(({ type, namespace, name }) => [type, namespace, name]),
    [
      ["function_call", "mcp__files", "read"],
      ["custom_tool_call", "mcp__files", "query"],
    ],
  );
  const outputs = first.output.map(({ type, call_id }) => ({
    type: `${type}_output`,
    call_id,
    output: "ok",
  }));
  const input = [user, ...first.output, ...outputs];
  await create({ input, tools: [group], store: false });
  assert.deepEqual(shown(model), [
    "mcp__files__read {}",
    'mcp__files__query {"input":"all"}',
    "> ok",
    "> ok",
  ]);
  const choice = { type: "function", namespace: "mcp__files", name: "read" };
  const events = await stream({ input: [user], tools: [group], tool_choice: choice });
  assertStreamGrammar(events);
  assert.deepEqual(model.requests.at(-1)?.toolChoice, {
    type: "function",
    name: "mcp__files__read",
  });
});

// Contract: responses-16
test("the namespace functions is the default one, and long names are shortened", async () => {
  const long = { ...group, name: "n".repeat(60), tools: [{ type: "function", name: "long_name" }] };
  const plain = { ...group, name: "functions", description: "" };
  const { model, create } = serve({ calls: [{ name: "read", args: {} }] });
  const { output } = await create({ input: [user], tools: [plain, long] });
  const [read, query, third = ""] = names(model);
  assert.deepEqual([read, query], ["read", "query"]);
  assert.match(third, /^n{55}_[0-9a-f]{8}$/);
  assert.deepEqual([output[0]?.["name"], output[0]?.["namespace"]], ["read", "functions"]);
});

const added = { type: "additional_tools", role: "developer", tools: [group] };

// Contract: responses-9
test("tools that items of the input declare are offered, also in later responses", async () => {
  const { model, create } = serve("One.", "Two.", "Three.", "Four.");
  const first = await create({ input: [added, user] });
  assert.deepEqual(names(model), ["mcp__files__read", "mcp__files__query"]);
  const second = await create({ previous_response_id: first.id, input: [user] });
  const other = { type: "function", name: "Other" };
  await create({ previous_response_id: second.id, input: [user], tools: [other] });
  assert.deepEqual(names(model), ["Other", "mcp__files__read", "mcp__files__query"]);
  const shorter = { ...added, tools: [{ ...group, tools: group.tools.slice(0, 1) }, group] };
  assert.equal((await create({ input: [added, shorter, user] })).status, 200);
});

// Contract: responses-9
test("deferred tools are offered once the client's search has found them", async () => {
  const deferred = { type: "function", name: "Pay", defer_loading: true };
  const search = { type: "tool_search", execution: "client" };
  const { model, create } = serve(
    { calls: [{ name: "tool_search", args: { query: "pay" } }] },
    { calls: [{ name: "Pay", args: {} }] },
    "Done.",
  );
  const first = await create({ input: [user], tools: [deferred, search] });
  assert.deepEqual(names(model), ["tool_search"]);
  const [call] = first.output;
  const found = { type: "tool_search_output", call_id: call?.call_id, tools: [deferred] };
  const second = await create({
    previous_response_id: first.id,
    input: [found],
    tools: [deferred, search],
  });
  assert.deepEqual(names(model), ["tool_search", "Pay"]);
  assert.equal(second.output[0]?.type, "function_call");
});

// Contract: responses-8
test("control of a computer and containers of others are rejected by name", async () => {
  const rejected: readonly (readonly [object, string])[] = [
    [{ input: "hi", tools: [{ type: "computer" }] }, "tools[0].type"],
    [{ input: "hi", tools: [{ type: "computer_use_preview" }] }, "tools[0].type"],
    [
      { input: "hi", tools: [{ type: "shell", environment: { type: "container_auto" } }] },
      "tools[0].environment.type",
    ],
    [
      { input: "hi", tools: [{ type: "namespace", name: "n", tools: [{ type: "shell" }] }] },
      "tools[0].tools[0].type",
    ],
    [{ input: [user, { type: "computer_call", call_id: "c", action: {} }] }, "input[1].type"],
  ];
  const { create } = serve("Hi.");
  for (const [body, param] of rejected) {
    const { status, error } = await create(body);
    assert.deepEqual([status, error?.code, error?.param], [400, "unsupported_parameter", param]);
  }
  const twice = { input: "hi", tools: [{ type: "shell" }, { type: "function", name: "shell" }] };
  assert.equal((await create(twice)).error?.code, "duplicate_value");
});

const lark = 'start: "say " /[a-z]+/ "!"';
const grammarTool = (syntax: string, definition: string) => ({
  type: "custom",
  name: "say",
  format: { type: "grammar", syntax, definition },
});

// Contract: responses-14
test("the input of a custom tool that does not match its grammar goes back to the model", async () => {
  const grammars = [
    ["regex", "say [a-z]+!"],
    ["lark", lark],
  ] as const;
  for (const [syntax, definition] of grammars) {
    const { model, stream } = serve(
      { calls: [{ name: "say", args: { input: "say HELLO" } }] },
      { calls: [{ name: "say", args: { input: "say hello!" } }] },
    );
    const events = await stream({ input: [user], tools: [grammarTool(syntax, definition)] });
    assertStreamGrammar(events);
    const inputs = events.flatMap((event) =>
      event.type === "response.output_item.done" && event.item.type === "custom_tool_call"
        ? [event.item.input]
        : [],
    );
    assert.deepEqual(inputs, ["say hello!"]);
    assert.match(shown(model).at(-1) ?? "", /input of say does not match its grammar/);
    assert.deepEqual(model.requests[0]?.tools[0]?.custom?.grammar, { syntax, definition });
  }
});

// Contract: responses-14
test("a model that never matches the grammar stops at the limit of rounds", async () => {
  const call = { calls: [{ name: "say", args: { input: "no" } }] };
  const { create, model } = serve(...Array.from({ length: 60 }, () => call));
  const { status } = await create({ input: [user], tools: [grammarTool("lark", lark)] });
  assert.equal(status, 200);
  assert.ok(model.requests.length < 60);
});

// Contract: responses-14
test("a grammar that cannot be enforced is rejected, and the error names why", async () => {
  const { create } = serve();
  const definition = 'start: "a"\n%declare X';
  const { status, error } = await create({
    input: [user],
    tools: [grammarTool("lark", definition)],
  });
  assert.deepEqual([status, error?.param], [400, "tools[0].format.definition"]);
  assert.match(error?.message ?? "", /line 2: %declare is not supported/);
  const other = await create({ input: [user], tools: [grammarTool("gbnf", "root ::= x")] });
  assert.equal(other.error?.param, "tools[0].format.syntax");
  const tools = Array.from({ length: 8 }, (_, n) => ({
    ...grammarTool("regex", `[a-z]{900}${n}`),
    name: `say${n}`,
  }));
  const many = await create({ input: [user], tools });
  assert.equal(many.status, 400);
  assert.match(many.error?.message ?? "", /grammars of the request need more than 10000 states/);
});
