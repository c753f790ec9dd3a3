import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RequestError } from "../../http/errors.ts";
import { type CreateRequest, parseCreateRequest } from "./parse-request.ts";
import { echo } from "../../testing/run-script.ts";

const origins = ["http://127.0.0.1:8787"];

function parse(body: object): CreateRequest {
  return parseCreateRequest({ model: "m", input: "hi", ...body }, { origins });
}

function errorOf(parse: () => unknown): RequestError {
  try {
    parse();
  } catch (thrown) {
    assert.ok(thrown instanceof RequestError, String(thrown));
    return thrown;
  }
  return assert.fail("it should be rejected");
}

function refuse(body: object, code: string, param: string): RequestError {
  const error = errorOf(() => parse(body));
  assert.deepEqual([error.status, error.code, error.param], [400, code, param]);
  return error;
}

const weather = { type: "function", name: "Weather", parameters: { type: "object" } };
const files = { type: "mcp", server_label: "f", server_url: "capstan://groups/files" };

test("a string is one user message, and all other fields have their defaults", () => {
  const request = parse({});
  assert.deepEqual(request.input, [
    {
      type: "message",
      status: "completed",
      role: "user",
      content: [{ type: "input_text", text: "hi" }],
    },
  ]);
  assert.deepEqual(request.settings, { toolChoice: "auto" });
  assert.deepEqual([request.store, request.background, request.stream], [true, false, false]);
  assert.deepEqual(request.echo, echo);
});

test("null, empty and unknown members are ignored", () => {
  const nulls = Object.fromEntries(
    "model instructions previous_response_id conversation tools tool_choice parallel_tool_calls max_tool_calls max_output_tokens temperature top_p presence_penalty frequency_penalty top_logprobs text reasoning truncation service_tier safety_identifier prompt_cache_key metadata include store background stream stream_options approvals tool_outputs history"
      .split(" ")
      .map((name) => [name, null]),
  );
  const plain = parseCreateRequest({ input: "hi" });
  assert.deepEqual(parseCreateRequest({ input: "hi", ...nulls }), plain);
  const empty = { model: "", tools: [], include: [], text: {}, client_metadata: { a: 1 } };
  const ignored = ["client_metadata"];
  assert.deepEqual(parseCreateRequest({ input: "hi", ...empty }), { ...plain, ignored });
});

test("settings and echo contain the request's values", () => {
  const request = parse({
    instructions: "Be brief.",
    temperature: 0,
    top_p: 0.5,
    max_output_tokens: 16,
    max_tool_calls: 1,
    parallel_tool_calls: false,
    reasoning: { effort: "minimal" },
    text: {
      format: { type: "json_schema", name: "s", schema: { type: "object" }, strict: true },
      verbosity: "low",
    },
    approvals: "inline",
    metadata: { a: "b" },
    conversation: { id: "conv_1" },
  });
  assert.deepEqual(request.settings, {
    toolChoice: "auto",
    parallelToolCalls: false,
    temperature: 0,
    topP: 0.5,
    maxOutputTokens: 16,
    reasoningEffort: "minimal",
    verbosity: "low",
    responseFormat: { type: "json_schema", name: "s", schema: { type: "object" }, strict: true },
  });
  assert.deepEqual(request.echo.reasoning, { effort: "minimal", summary: null });
  assert.deepEqual(request.echo.text, {
    format: {
      type: "json_schema",
      name: "s",
      description: null,
      schema: { type: "object" },
      strict: true,
    },
    verbosity: "low",
  });
  assert.deepEqual(
    [request.approvals, request.conversation, request.maxToolCalls, request.echo.temperature],
    ["inline", "conv_1", 1, 0],
  );
});

test("a request can choose how earlier turns are shown", () => {
  assert.equal(parse({ history: "full" }).history, "full");
  assert.deepEqual(parse({ history: { keep_turns: 2 } }).history, { keepTurns: 2 });
  assert.equal(parse({}).history, undefined);
  for (const history of ["none", {}, 3])
    refuse({ input: "hi", history }, "invalid_value", "history");
  const negative = { input: "hi", history: { keep_turns: -1 } };
  refuse(negative, "integer_below_min_value", "history.keep_turns");
});

test("a body that is not an object, or has no input, is rejected", () => {
  for (const body of [undefined, null, [], "x", 3]) {
    assert.equal(errorOf(() => parseCreateRequest(body)).param, "request");
  }
  refuse({ input: null }, "missing_required_parameter", "input");
  assert.equal(parse({ input: null, previous_response_id: "resp_1" }).input.length, 0);
});

test("numbers outside their range are named with their limit", () => {
  const error = refuse({ max_tool_calls: 0 }, "integer_below_min_value", "max_tool_calls");
  assert.equal(
    error.message,
    "Invalid 'max_tool_calls': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  );
  refuse({ max_output_tokens: 15 }, "integer_below_min_value", "max_output_tokens");
  refuse({ top_logprobs: 21 }, "integer_above_max_value", "top_logprobs");
  refuse({ temperature: 3 }, "decimal_above_max_value", "temperature");
  refuse({ temperature: "hot" }, "invalid_type", "temperature");
  refuse({ max_tool_calls: 1.5 }, "invalid_type", "max_tool_calls");
});

test("metadata above its limits is rejected", () => {
  refuse({ metadata: { a: "x".repeat(513) } }, "string_above_max_length", "metadata.a");
  refuse({ metadata: { ["k".repeat(65)]: "" } }, "string_above_max_length", "metadata");
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, ""]));
  refuse({ metadata: many }, "object_above_max_properties", "metadata");
  refuse({ metadata: { a: 1 } }, "invalid_type", "metadata.a");
});

test("fields that exclude each other are rejected", () => {
  refuse(
    { previous_response_id: "resp_1", conversation: "conv_1" },
    "mutually_exclusive_parameters",
    "previous_response_id",
  );
  refuse({ background: true, store: false }, "invalid_value", "background");
  assert.match(refuse({ conversation: "abc" }, "invalid_value", "conversation").message, /conv_/);
});

test("messages need no type, and references need only an id", () => {
  const { input } = parse({
    input: [
      { role: "assistant", content: "yes" },
      { id: "msg_1" },
      { type: "message", role: "user", content: [] },
    ],
  });
  assert.deepEqual(input, [
    {
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "yes", annotations: [], logprobs: [] }],
    },
    { type: "item_reference", id: "msg_1" },
    { type: "message", status: "completed", role: "user", content: [] },
  ]);
});

test("replayed output items are accepted even if members are missing", () => {
  const { input } = parse({
    input: [
      { type: "reasoning", summary: [], content: null, encrypted_content: null },
      { type: "function_call", call_id: "c", name: "Weather", arguments: "{}", namespace: null },
      { type: "function_call_output", call_id: "c", output: "sun" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sun." }] },
      { type: "mcp_call", id: "mcp_1", server_label: "f", name: "ViewFile", arguments: "{}" },
    ],
  });
  assert.deepEqual(input, [
    { type: "reasoning", summary: [] },
    { type: "function_call", status: "completed", call_id: "c", name: "Weather", arguments: "{}" },
    { type: "function_call_output", status: "completed", call_id: "c", output: "sun" },
    {
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Sun.", annotations: [], logprobs: [] }],
    },
    {
      type: "mcp_call",
      id: "mcp_1",
      status: "completed",
      server_label: "f",
      name: "ViewFile",
      arguments: "{}",
    },
  ]);
});

test("items of unknown types are stored unchanged", () => {
  const item = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
  assert.deepEqual(parse({ input: [item] }).input, [{ type: "carried", item }]);
  const named = { type: "constructor" };
  assert.deepEqual(parse({ input: [named] }).input, [{ type: "carried", item: named }]);
});

test("an error in an item names its path", () => {
  const call = { type: "function_call", call_id: "c", name: "Weather" };
  const error = refuse({ input: [call] }, "missing_required_parameter", "input[0].arguments");
  assert.equal(error.message, "Missing required parameter: 'input[0].arguments'.");
  refuse({ input: [{}] }, "missing_required_parameter", "input[0].type");
  refuse({ input: ["hi"] }, "invalid_type", "input[0]");
  refuse({ input: 3 }, "invalid_type", "input");
  refuse({ input: [{ role: "martian", content: "" }] }, "invalid_value", "input[0].role");
  refuse({ input: [{ role: "user" }] }, "missing_required_parameter", "input[0].content");
  const part = (content: object) => ({ input: [{ role: "user", content: [content] }] });
  assert.match(
    refuse(part({ type: "hologram" }), "invalid_value", "input[0].content[0].type").message,
    /'hologram'/,
  );
  refuse(part({ type: "input_text" }), "missing_required_parameter", "input[0].content[0].text");
  refuse(
    part({ type: "input_image" }),
    "missing_required_parameter",
    "input[0].content[0].image_url",
  );
  refuse(
    part({ type: "input_file", file_id: "file-1" }),
    "invalid_value",
    "input[0].content[0].file_id",
  );
  refuse(
    { input: [{ type: "mcp_approval_response", approval_request_id: "x" }] },
    "missing_required_parameter",
    "input[0].approve",
  );
});

test("functions and custom tools are offered to the model, and run by the client", () => {
  const { tools, echo } = parse({
    tools: [
      { ...weather, strict: null, description: null },
      { type: "function", function: { name: "Old", parameters: {} } },
      {
        type: "custom",
        name: "Patch",
        description: "Applies a patch.",
        format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
      },
    ],
  });
  assert.deepEqual(
    tools.client.map((tool) => tool.function.name),
    ["Weather", "Old", "Patch"],
  );
  assert.deepEqual(tools.client[0], {
    type: "function",
    function: { name: "Weather", parameters: { type: "object" } },
  });
  assert.deepEqual(tools.forms, { Patch: { type: "custom", name: "Patch", checked: true } });
  assert.match(tools.client[2]?.function.description ?? "", /lark grammar:\nstart: \/x\/$/);
  assert.deepEqual(echo.tools[0], {
    type: "function",
    name: "Weather",
    description: null,
    parameters: { type: "object" },
    strict: null,
  });
});

test("a request with too many tools is rejected with their limit", () => {
  const functions = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ type: "function", name: `f${from + n}` }));
  const declare = (count: number, added: number) =>
    parse({
      input: [
        { role: "user", content: "x" },
        ...(added === 0 ? [] : [{ type: "additional_tools", tools: functions(count, added) }]),
      ],
      tools: functions(0, count),
    });
  assert.equal(declare(5_000, 0).tools.client.length, 5_000);
  for (const [count, added] of [
    [5_001, 0],
    [4_999, 2],
  ] as const)
    assert.throws(() => declare(count, added), /at most 5000 tools/);
});

test("a tool group is named by its capstan:// URL or by this server's URL", () => {
  const { tools, echo } = parse({
    tools: [
      { ...files, authorization: "secret", headers: { a: "secret" }, require_approval: "never" },
      {
        type: "mcp",
        server_label: "w",
        server_url: "http://127.0.0.1:8787/mcp/groups/web",
        allowed_tools: ["FetchWebPage"],
        require_approval: { always: { tool_names: ["FetchWebPage"] }, never: { read_only: true } },
      },
    ],
  });
  assert.deepEqual(tools.servers, [
    { label: "f", group: "files", requireApproval: "never" },
    {
      label: "w",
      group: "web",
      allowedTools: { toolNames: ["FetchWebPage"] },
      requireApproval: { always: { toolNames: ["FetchWebPage"] }, never: { readOnly: true } },
    },
  ]);
  assert.doesNotMatch(JSON.stringify(echo), /secret/);
});

// Contract: responses-8
test("connectors and other kinds of addresses are rejected by name", () => {
  const other = { type: "mcp", server_label: "x" };
  refuse(
    { tools: [{ ...other, server_url: "ftp://example.org/mcp" }] },
    "unsupported_parameter",
    "tools[0].server_url",
  );
  refuse(
    { tools: [{ ...other, connector_id: "connector_gmail" }] },
    "unsupported_parameter",
    "tools[0].connector_id",
  );
});

test("headers of a request's MCP server are not echoed, and its approvals only tighten", () => {
  const server = {
    type: "mcp",
    server_label: "x",
    server_url: "https://example.org/mcp",
    headers: { "X-Key": "secret-1" },
    authorization: "secret-2",
    require_approval: { always: { tool_names: ["a"] }, never: { tool_names: ["b"] } },
  };
  const { tools } = parseCreateRequest({ model: "m", input: "hi", tools: [server] });
  const [remote] = tools.remote;
  assert.deepEqual(remote?.headers, { "x-key": "secret-1", authorization: "Bearer secret-2" });
  assert.deepEqual(tools.servers, [
    { label: "x", group: remote?.group, requireApproval: { always: { toolNames: ["a"] } } },
  ]);
  assert.match(remote?.group ?? "", /^mcp_example-org_[0-9a-f]{16}$/);
  assert.doesNotMatch(JSON.stringify([tools.echo, tools.servers, tools.declared]), /secret/);
  const never = { ...server, require_approval: "never" };
  const loosened = parseCreateRequest({ model: "m", input: "hi", tools: [never] });
  assert.equal(loosened.tools.servers[0]?.requireApproval, undefined);
});

test("rejects servers that are declared twice or do not exist", () => {
  const other = { ...files, server_url: "https://example.org" };
  refuse({ tools: [files, other] }, "duplicate_value", "tools[1].server_label");
  refuse(
    { tools: [files, { ...files, server_label: "g" }] },
    "duplicate_value",
    "tools[1].server_url",
  );
  refuse({ tools: [weather, weather] }, "duplicate_value", "tools[1].name");
  refuse(
    { tools: [{ type: "mcp", server_label: "f" }] },
    "missing_required_parameter",
    "tools[0].server_url",
  );
  refuse(
    { tools: [{ ...files, server_label: undefined }] },
    "missing_required_parameter",
    "tools[0].server_label",
  );
  refuse(
    { tools: [{ ...files, server_url: "capstan://groups/" }] },
    "invalid_value",
    "tools[0].server_url",
  );
  refuse(
    { tools: [{ ...files, server_url: "capstan://groups/a%2Fb" }] },
    "invalid_value",
    "tools[0].server_url",
  );
  refuse(
    { tools: [{ ...files, require_approval: "sometimes" }] },
    "invalid_value",
    "tools[0].require_approval",
  );
});

test("the names of the loopback interface are one host", () => {
  const origins = ["http://127.0.0.1:8787"];
  const serversAt = (server_url: string) =>
    parseCreateRequest(
      { input: "hi", tools: [{ type: "mcp", server_label: "f", server_url }] },
      { origins },
    ).tools;
  for (const host of ["localhost:8787", "[::1]:8787"])
    assert.equal(serversAt(`http://${host}/mcp/groups/files`).servers[0]?.group, "files");
  for (const host of ["localhost:8788", "localhost.example.org:8787"]) {
    const url = `http://${host}/mcp/groups/files`;
    assert.deepEqual(
      serversAt(url).remote.map((one) => one.url),
      [url],
    );
  }
});

test("tools of unknown types are accepted and echoed", () => {
  const search = { type: "web_search", search_content_types: ["text"] };
  const { tools, echo } = parse({ tools: [search] });
  assert.deepEqual([tools.client, tools.servers, tools.carried], [[], [], [search]]);
  assert.deepEqual(echo.tools, [search]);
  refuse({ tools: [{ name: "x" }] }, "missing_required_parameter", "tools[0].type");
  refuse({ tools: [{ type: "function" }] }, "missing_required_parameter", "tools[0].name");
  refuse({ tools: [{ type: "function", name: "a b" }] }, "invalid_value", "tools[0].name");
});

test("a tool choice names a declared tool", () => {
  const tools = [weather, files, { type: "web_search" }];
  const choose = (tool_choice: unknown) => parse({ tools, tool_choice });
  assert.deepEqual(choose("required").settings.toolChoice, "required");
  const forced = { type: "function", name: "Weather" };
  assert.deepEqual(choose(forced).settings.toolChoice, forced);
  assert.deepEqual(choose({ type: "function", function: { name: "Weather" } }).toolChoice, forced);
  assert.deepEqual(choose({ type: "mcp", server_label: "f", name: "ViewFile" }).toolChoice, {
    type: "server",
    label: "f",
    name: "ViewFile",
  });
  const allowed = choose({
    type: "allowed_tools",
    tools: [forced, { type: "mcp", server_label: "f" }],
  });
  assert.deepEqual(allowed.toolChoice, {
    type: "allowed",
    mode: "auto",
    tools: [forced, { type: "server", label: "f" }],
  });
  assert.equal((allowed.echo.tool_choice as { mode?: string }).mode, "auto");

  refuse({ tool_choice: "invalid_choice" }, "invalid_value", "tool_choice");
  const error = refuse(
    { tool_choice: { type: "function", name: "X" } },
    "invalid_value",
    "tool_choice",
  );
  assert.equal(error.message, "Tool choice 'X' not found in 'tools' parameter.");
  refuse({ tool_choice: { type: "mcp", server_label: "x" } }, "invalid_value", "tool_choice");
  refuse({ tool_choice: { type: "shell" } }, "invalid_value", "tool_choice");
  refuse({ tool_choice: {} }, "missing_required_parameter", "tool_choice.type");
  // No tool is bound to this type, so the model cannot be made to call it.
  const search = { tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } };
  refuse(search, "invalid_value", "tool_choice");
});

test("rejects unknown formats", () => {
  refuse({ text: { format: { type: "xml" } } }, "invalid_value", "text.format.type");
  refuse(
    { text: { format: { type: "json_schema", name: "s" } } },
    "missing_required_parameter",
    "text.format.schema",
  );
});

test("every body is parsed or rejected with an error that has all its fields", () => {
  const known = fc.constantFrom(
    "input",
    "tools",
    "tool_choice",
    "text",
    "metadata",
    "conversation",
  );
  const near = fc.dictionary(
    fc.oneof(known, fc.string()),
    fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.dictionary(fc.constantFrom("type", "role", "content", "id", "name"), fc.jsonValue()),
      ),
    ),
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), near), (body) => {
      try {
        parseCreateRequest(body);
      } catch (thrown) {
        assert.ok(thrown instanceof RequestError, String(thrown));
        const { code, message, param, type } = thrown;
        for (const text of [code, message, param, type]) assert.ok(text.length > 0);
      }
    }),
    { numRuns: 500 },
  );
});
