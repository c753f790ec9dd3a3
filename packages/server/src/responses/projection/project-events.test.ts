import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "@capstan/core";
import type { RunNotice } from "@capstan/contract";
import {
  answered,
  asked,
  callStarted,
  echo,
  ended,
  filesServer,
  heartbeat,
  identity,
  numbered,
  proposed,
  roundEnded,
  roundStarted,
  settled,
  textEvents,
  started,
  waiting,
  written,
} from "../../testing/run-script.ts";
import { assertStreamGrammar, partText } from "../../testing/stream-grammar.ts";
import type { ResponseObject, ResponseStreamEvent } from "./wire.ts";
import { customForms } from "../client-tools/tool-form.ts";
import { createProjection, type ProjectionOptions } from "./project-events.ts";

interface Projected {
  readonly events: readonly ResponseStreamEvent[];
  readonly types: readonly string[];
  readonly response: ResponseObject;
}

function project(
  script: readonly (ChainEvent | RunNotice)[],
  options: Partial<ProjectionOptions> = {},
): Projected {
  const projection = createProjection({ ...identity, ...options });
  const events = numbered(script).flatMap((event) => projection.push(event));
  assertStreamGrammar(events);
  const types = events.map((event) => event.type.replace("response.", ""));
  return { events, types, response: projection.response() };
}

const withFiles = { servers: [filesServer] };
const listed = [
  "output_item.added",
  "mcp_list_tools.in_progress",
  "mcp_list_tools.completed",
  "output_item.done",
];

test("a text streams as one message", () => {
  const { types, response } = project([
    started,
    roundStarted(),
    ...textEvents("t1", ["Hel", "lo"]),
    roundEnded(),
    ended(),
  ]);
  assert.deepEqual(types, [
    "created",
    "in_progress",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "completed",
  ]);
  assert.equal(response.status, "completed");
  assert.equal(response.created_at, 1_700_000_000);
  assert.equal(response.completed_at, 1_700_000_009);
  assert.equal(response.usage?.total_tokens, 15);
  assert.deepEqual(response.output, [
    {
      id: "msg_1_0",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", annotations: [], logprobs: [], text: "Hello" }],
    },
  ]);
});

test("a delta is sent immediately", () => {
  const projection = createProjection(identity);
  const [start, delta] = numbered([
    { type: "item.start", itemId: "t", kind: "text" },
    { type: "item.delta", itemId: "t", delta: "a" },
  ]);
  projection.push(start!);
  assert.deepEqual(
    projection.push(delta!).map((event) => event.type),
    ["response.output_item.added", "response.content_part.added", "response.output_text.delta"],
  );
});

test("a background response is queued until its run starts", () => {
  const projection = createProjection({ ...identity, echo: { ...echo, background: true } });
  const begun = projection.begin();
  assert.deepEqual(
    begun.map((event) => [event.type, "response" in event && event.response.status]),
    [
      ["response.created", "queued"],
      ["response.queued", "queued"],
    ],
  );
  assert.deepEqual(projection.begin(), []);
  const rest = numbered([heartbeat, started, ended()]).flatMap((event) => projection.push(event));
  assert.deepEqual(
    rest.map((event) => event.type),
    ["response.queued", "response.in_progress", "response.completed"],
  );
  assertStreamGrammar([...begun, ...rest], { closed: true });
});

test("a foreground response sends a snapshot while it waits for its run to start", () => {
  const { types } = project([heartbeat, heartbeat, started, ended()]);
  assert.deepEqual(types, ["created", "in_progress", "in_progress", "in_progress", "completed"]);
});

test("a stream that begins before its run equals one that begins with the first event", () => {
  const script = numbered([started, ...textEvents("t", ["a"]), ended()]);
  const early = createProjection(identity);
  const events = [...early.begin(), ...script.flatMap((event) => early.push(event))];
  const late = createProjection(identity);
  assert.deepEqual(
    events,
    script.flatMap((event) => late.push(event)),
  );
});

test("a response counts the tokens of its own rounds, not of the turn that it continues", () => {
  const { response } = project([started, roundEnded("tool_calls"), roundEnded(), ended()]);
  assert.deepEqual(response.usage, {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 30,
  });
});

test("reasoning is a separate item before the message", () => {
  const { response } = project([
    started,
    ...textEvents("r", ["think"], "reasoning"),
    ...textEvents("t", ["say"]),
    roundEnded(),
    ended(),
  ]);
  assert.deepEqual(response.output[0], {
    id: "rs_1_0",
    type: "reasoning",
    status: "completed",
    summary: [],
    content: [{ type: "reasoning_text", text: "think" }],
  });
  assert.equal(response.output[1]?.id, "msg_1_1");
});

test("an empty text has no item", () => {
  const { response } = project([started, ...textEvents("t", []), roundEnded(), ended()]);
  assert.deepEqual(response.output, []);
});

test("the response contains a text without deltas", () => {
  const { response } = project([
    started,
    { type: "item.start", itemId: "t", kind: "text" },
    { type: "item.end", itemId: "t", text: "whole" },
    ended(),
  ]);
  assert.match(JSON.stringify(response.output), /"text":"whole"/);
});

test("a client call streams its arguments, and the response ends so that the client can run it", () => {
  const { types, response } = project([
    started,
    ...written("call_1", ['{"city":', '"Oslo"}']),
    roundEnded("tool_calls"),
    proposed("call_1", { owner: "client", name: "Weather", argumentsText: '{"city":"Oslo"}' }),
    { type: "client_call.waiting", callId: "call_1" },
    waiting("call_1"),
  ]);
  assert.deepEqual(types.slice(2), [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "completed",
  ]);
  assert.equal(response.usage?.total_tokens, 15);
  assert.deepEqual(response.output, [
    {
      id: "fc_1_0",
      type: "function_call",
      status: "completed",
      call_id: "call_1",
      name: "Weather",
      arguments: '{"city":"Oslo"}',
    },
  ]);
});

test("two calls written at the same time are shown one after the other", () => {
  const [startA, deltaA, endA] = written("a", ['{"n":1}']);
  const [startB, deltaB, endB] = written("b", ['{"n":2}']);
  const { response } = project([
    started,
    startA!,
    startB!,
    deltaB!,
    endB!,
    deltaA!,
    endA!,
    ended(),
  ]);
  assert.deepEqual(
    response.output.map((item) => item.type === "function_call" && [item.call_id, item.arguments]),
    [
      ["a", '{"n":1}'],
      ["b", '{"n":2}'],
    ],
  );
});

test("after_step announces a call only once it waits for its output", () => {
  const script = [
    started,
    ...written("c", ["{}"]),
    roundEnded("tool_calls"),
    proposed("c", { owner: "client", name: "Weather", argumentsText: "{}" }),
  ];
  const options = { clientCalls: "after_step" } as const;
  assert.deepEqual(project(script, options).response.output, []);
  const announced = project([...script, { type: "client_call.waiting", callId: "c" }], options);
  assert.equal(announced.response.output.length, 1);
});

// Contract: plugins-46
test("a custom tool's call shows its input as text", () => {
  const call = { owner: "client", name: "Patch" } as const;
  const { response, types } = project(
    [
      started,
      ...written("c", ['{"inp', 'ut":"*** Begin"}'], call),
      roundEnded("tool_calls"),
      proposed("c", { ...call, argumentsText: '{"input":"*** Begin"}' }),
      waiting("c"),
    ],
    { forms: customForms(["Patch"]) },
  );
  assert.deepEqual(types.slice(2, 6), [
    "output_item.added",
    "custom_tool_call_input.delta",
    "custom_tool_call_input.done",
    "output_item.done",
  ]);
  assert.deepEqual(response.output, [
    {
      id: "ctc_1_0",
      type: "custom_tool_call",
      status: "completed",
      call_id: "c",
      name: "Patch",
      input: "*** Begin",
    },
  ]);
});

test("a server's call is an mcp_call under the label the client gave its group", () => {
  const { types, response } = project(
    [
      started,
      ...written("c", ['{"path":"a"}'], { owner: "server" }),
      roundEnded("tool_calls"),
      proposed("c", { name: "files_ViewFile" }),
      callStarted("c"),
      settled("c", "contents"),
      ended(),
    ],
    { servers: [{ ...filesServer, label: "my-files" }] },
  );
  assert.deepEqual(types, [
    "created",
    "in_progress",
    ...listed,
    "output_item.added",
    "mcp_call.in_progress",
    "mcp_call_arguments.delta",
    "mcp_call_arguments.done",
    "mcp_call.completed",
    "output_item.done",
    "completed",
  ]);
  assert.deepEqual(response.output[0], {
    id: "mcpl_1_0",
    type: "mcp_list_tools",
    server_label: "my-files",
    tools: filesServer.tools,
  });
  assert.deepEqual(response.output[1], {
    id: "mcp_1_1",
    type: "mcp_call",
    status: "completed",
    approval_request_id: null,
    server_label: "my-files",
    name: "ViewFile",
    arguments: '{"path":"a"}',
    output: "contents",
    error: null,
  });
});

test("a call that fails has the status failed, and the response continues", () => {
  const { response, types } = project(
    [started, proposed("c"), callStarted("c"), settled("c", "no such file", "error"), ended()],
    withFiles,
  );
  assert.ok(types.includes("mcp_call.failed"));
  const item = response.output[1];
  assert.ok(item?.type === "mcp_call");
  assert.deepEqual(
    [item.status, item.output, item.error?.content],
    ["failed", null, [{ type: "text", text: "no such file" }]],
  );
  assert.equal(response.status, "completed");
});

test("a call that never started is shown when it is settled", () => {
  const { response } = project(
    [
      started,
      roundStarted(),
      proposed("c"),
      settled("c", "a rule forbids it", "execution_rejected"),
      ended(),
    ],
    withFiles,
  );
  assert.equal(response.output.length, 2);
});

test("a call that runs again after a crash keeps its item", () => {
  const { response } = project(
    [started, proposed("c"), callStarted("c"), callStarted("c"), settled("c", "text"), ended()],
    withFiles,
  );
  assert.equal(response.output.length, 2);
});

test("parallel calls are shown in the order in which they started, each without interruption", () => {
  const { response } = project(
    [
      started,
      proposed("a"),
      proposed("b"),
      callStarted("b"),
      callStarted("a"),
      settled("a", "A"),
      settled("b", "B"),
      ended(),
    ],
    withFiles,
  );
  assert.deepEqual(
    response.output.slice(1).map((item) => item.type === "mcp_call" && item.output),
    ["B", "A"],
  );
});

test("text is sent after the call that precedes it", () => {
  const projection = createProjection({ ...identity, ...withFiles });
  const push = (...script: readonly ChainEvent[]) =>
    numbered(script).flatMap((event) => projection.push(event));
  push(started, proposed("a"), callStarted("a"));
  assert.deepEqual(push(...textEvents("t", ["later"])), []);
  const types = push(settled("a", "A")).map((event) => event.type);
  assert.equal(types[0], "response.mcp_call.completed");
  assert.ok(types.includes("response.output_text.delta"));
});

test("calls of groups that were not declared, and sub-calls, are not shown", () => {
  const { response } = project(
    [
      started,
      proposed("v", { name: "ReadVar", toolId: "vars.ReadVar" }),
      callStarted("v"),
      settled("v", "value"),
      proposed("a"),
      callStarted("a"),
      proposed("sub", { parentCallId: "a" }),
      callStarted("sub"),
      settled("sub", "inner"),
      settled("a", "outer"),
      ended(),
    ],
    withFiles,
  );
  assert.deepEqual(
    response.output.map((item) => item.type),
    ["mcp_list_tools", "mcp_call"],
  );
});

test("a tool list that the client has is not repeated, and a failed list shows its error", () => {
  const known = project([started, ended()], { servers: [{ ...filesServer, known: true }] });
  assert.deepEqual(known.response.output, []);
  const broken = project([started, ended()], {
    servers: [{ ...filesServer, tools: [], error: "not reachable" }],
  });
  assert.ok(broken.types.includes("mcp_list_tools.failed"));
  assert.match(JSON.stringify(broken.response.output), /"error":"not reachable"/);
});

test("a deferred approval ends the response with a request for it", () => {
  const { response, types } = project(
    [started, proposed("c"), asked("c"), waiting("c")],
    withFiles,
  );
  assert.deepEqual(types.slice(6), ["output_item.added", "output_item.done", "completed"]);
  assert.deepEqual(response.output[1], {
    id: "mcpr_ap_c",
    type: "mcp_approval_request",
    server_label: "files",
    name: "ViewFile",
    arguments: '{"path":"resolved"}',
  });
  assert.equal(response.status, "completed");
});

test("an approval request contains the variables that its call reads", () => {
  const variables = [{ name: "Fetch_1", text: "curl …", length: 4_000 }];
  const event = asked("c");
  assert.ok(event.type === "approval.requested");
  const reads = { ...event, approval: { ...event.approval, variables } };
  const { response } = project([started, proposed("c"), reads, waiting("c")], withFiles);
  const item = response.output[1];
  assert.ok(item?.type === "mcp_approval_request");
  assert.deepEqual(item.variables, variables);
});

const inherited = proposed("c", {
  argumentsText: '{"path":"$VAR_REF{{x}}"}',
  args: { path: "resolved" },
});
const knownFiles = { servers: [{ ...filesServer, known: true }] };

test("an approved call of an earlier response is shown with the request it answers", () => {
  const { response } = project(
    [started, inherited, answered("c", "allowed"), callStarted("c"), settled("c", "text"), ended()],
    knownFiles,
  );
  const item = response.output[0];
  assert.ok(item?.type === "mcp_call");
  assert.equal(item.approval_request_id, "mcpr_ap_c");
  assert.equal(item.arguments, '{"path":"resolved"}');
});

test("a call of an earlier response that was denied or never answered is not shown", () => {
  const refused = settled("c", "no", "execution_rejected");
  const answer = answered("c", "refused");
  assert.deepEqual(
    project([started, inherited, answer, refused, ended()], knownFiles).response.output,
    [],
  );
  const abandoned = settled("c", "not answered", "cancelled");
  assert.deepEqual(
    project([started, inherited, abandoned, ended()], knownFiles).response.output,
    [],
  );
});

test("a call denied while the response waits for other approvals is not shown", () => {
  const { response } = project(
    [
      started,
      roundStarted(),
      proposed("c"),
      asked("c"),
      answered("c", "refused"),
      settled("c", "no", "execution_rejected"),
      ended(),
    ],
    knownFiles,
  );
  assert.deepEqual(
    response.output.map((item) => item.type),
    ["mcp_approval_request"],
  );
});

test("an inline approval shows only heartbeats, and the response continues", () => {
  const { response, types } = project(
    [
      started,
      proposed("c"),
      asked("c"),
      waiting("c"),
      heartbeat,
      answered("c", "allowed"),
      { type: "chain.resumed", at: 6 },
      callStarted("c"),
      settled("c", "text"),
      ended(),
    ],
    { ...withFiles, approvals: "inline" },
  );
  assert.equal(types.filter((type) => type === "in_progress").length, 2);
  assert.equal(types.filter((type) => type === "completed").length, 1);
  const item = response.output[1];
  assert.ok(item?.type === "mcp_call");
  assert.deepEqual([item.approval_request_id, item.status], [null, "completed"]);
});

test("an approval that the client could not answer does not end the response", () => {
  const { response } = project([started, proposed("c"), asked("c"), waiting("c")]);
  assert.equal(response.status, "in_progress");
});

test("a heartbeat shows the open item as written so far", () => {
  const { events } = project([started, ...textEvents("t", ["so far"]).slice(0, 2), heartbeat]);
  const last = events.at(-1);
  assert.ok(last?.type === "response.in_progress");
  assert.match(JSON.stringify(last.response.output), /"in_progress".*"so far"/);
});

test("a model that reached its limit leaves its message incomplete", () => {
  const { response, types } = project([
    started,
    ...textEvents("t", ["cut"]),
    roundEnded("length"),
    ended(),
  ]);
  assert.equal(types.at(-1), "incomplete");
  assert.deepEqual(response.incomplete_details, { reason: "max_output_tokens" });
  const item = response.output[0];
  assert.ok(item?.type === "message");
  assert.equal(item.status, "incomplete");
});

test("a content filter leaves the response incomplete", () => {
  const { response } = project([started, roundEnded("content_filter"), ended()]);
  assert.deepEqual(response.incomplete_details, { reason: "content_filter" });
});

test("a function call truncated by the limit is incomplete and the last item", () => {
  const { response } = project([
    started,
    ...written("a", ['{"n":']).slice(0, 2),
    ...written("b", ['{"n":2}']),
    { type: "item.end", itemId: "args_a", text: '{"n":', incomplete: true },
    roundEnded("length"),
    ended(),
  ]);
  assert.deepEqual(
    response.output.map((item) => item.type === "function_call" && [item.call_id, item.status]),
    [["a", "incomplete"]],
  );
});

test("a call that a limit cut off is incomplete; other calls of the server are unchanged", () => {
  const cutOff = (callId: string): ChainEvent => {
    const event = settled(callId, "The answer was cut off.", "error");
    assert.ok(event.type === "call.settled");
    const error = { code: "incomplete_call", message: "The answer was cut off." };
    return { ...event, result: { ...event.result, error } };
  };
  const args = '{"input":"x';
  const common = { servers: [filesServer], forms: customForms(["Patch"]) };
  const { response, types } = project(
    [
      started,
      roundStarted(),
      {
        type: "item.start",
        itemId: "i",
        kind: "arguments",
        callId: "p",
        name: "Patch",
        owner: "client",
      },
      { type: "item.end", itemId: "i", text: args, incomplete: true },
      roundEnded("length"),
      proposed("a"),
      proposed("b", { argumentsText: '{"path":' }),
      cutOff("b"),
      proposed("p", { name: "Patch", owner: "client", argumentsText: args }),
      cutOff("p"),
      callStarted("a"),
      settled("a", "seen"),
      ended(),
    ],
    common,
  );
  assert.equal(types.at(-1), "incomplete");
  assert.deepEqual(response.incomplete_details, { reason: "max_output_tokens" });
  assert.deepEqual(
    response.output.flatMap((item) => ("status" in item ? [[item.type, item.status]] : [])),
    [
      ["mcp_call", "incomplete"],
      ["custom_tool_call", "incomplete"],
      ["mcp_call", "completed"],
    ],
  );
});

test("a response that waits for a client and has a cut call is incomplete", () => {
  const { response } = project([
    started,
    ...written("a", ['{"n":2}']),
    ...written("b", ['{"n":']).slice(0, 2),
    { type: "item.end", itemId: "args_b", text: '{"n":', incomplete: true },
    roundEnded("length"),
    proposed("a", { owner: "client" }),
    waiting("a"),
  ]);
  assert.equal(response.status, "incomplete");
  assert.deepEqual(
    response.output.map((item) => item.type === "function_call" && [item.call_id, item.status]),
    [
      ["a", "completed"],
      ["b", "incomplete"],
    ],
  );
});

// Contract: responses-7
test("with a strict schema, a rejected answer is not shown, and the accepted one is sent whole", () => {
  const format = { type: "json_schema", name: "n", schema: {}, strict: true };
  const { response, events } = project(
    [
      started,
      roundStarted(),
      ...textEvents("a", ['{"n":', '"x"}']),
      { type: "model.restarted", reason: "The answer does not match." },
      heartbeat,
      ...textEvents("b", ['{"n":', "1}"]),
      roundEnded("stop"),
      ended(),
    ],
    { echo: { ...identity.echo, text: { format } } },
  );
  assert.deepEqual(
    response.output.map((item) => item.type === "message" && item.content.map(partText)),
    [['{"n":1}']],
  );
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  assert.equal(deltas.length, 1);
});

// Contract: responses-5
test("an image in a tool's result is an item of its own after the call", () => {
  const event = settled("a", "[image]");
  assert.ok(event.type === "call.settled");
  const source = { type: "base64", data: "aGk=" } as const;
  const image = { type: "image", mimeType: "image/jpeg", source } as const;
  // The file of the second image is named in the call's text.
  const stored = { ...image, fileId: "file-1" };
  const parts = [image, stored, { type: "text", text: "so" } as const];
  const result = { ...event.result, parts };
  const { response } = project(
    [
      started,
      roundStarted(),
      proposed("a"),
      callStarted("a"),
      { ...event, result },
      ...textEvents("t", ["Look."]),
      ended(),
    ],
    withFiles,
  );
  assert.deepEqual(
    response.output.slice(1).map(({ type }) => type),
    ["mcp_call", "image_generation_call", "message"],
  );
  assert.partialDeepStrictEqual(response.output[2], {
    status: "completed",
    output_format: "jpeg",
    result: "aGk=",
  });
});

// Contract: responses-2
test("a refusal is a part of its own, and the response is complete", () => {
  const { response, events } = project([
    started,
    { type: "item.start", itemId: "t", kind: "text", refusal: true },
    { type: "item.delta", itemId: "t", delta: "I " },
    { type: "item.delta", itemId: "t", delta: "cannot." },
    { type: "item.end", itemId: "t", text: "I cannot." },
    roundEnded("stop"),
    ended(),
  ]);
  assert.equal(response.status, "completed");
  const [item] = response.output;
  assert.ok(item?.type === "message");
  assert.deepEqual(item.content, [{ type: "refusal", refusal: "I cannot." }]);
  assert.deepEqual(
    events.flatMap((event) => (event.type === "response.refusal.delta" ? [event.delta] : [])),
    ["I ", "cannot."],
  );
});

test("a failure is an error event, then a failed response", () => {
  const error = {
    code: "rate_limit",
    message: "Slow down.",
    phase: "model",
    retryAfterMs: 1500,
  } as const;
  const { types, response, events } = project([
    started,
    ...textEvents("t", ["half"]).slice(0, 2),
    ended("error", error),
  ]);
  assert.deepEqual(types.slice(-2), ["error", "failed"]);
  assert.deepEqual(response.error, {
    code: "rate_limit_exceeded",
    message: "Slow down. Please try again in 1.5s.",
  });
  assert.equal(response.output.length, 1);
  const event = events.at(-2);
  assert.ok(event?.type === "error");
  assert.equal(event.error.code, "rate_limit_exceeded");
});

test("an unknown failure is a server error", () => {
  const error = { code: "constructor", message: "?", phase: "chain" } as const;
  assert.equal(project([started, ended("error", error)]).response.error?.code, "server_error");
  assert.equal(project([started, ended("timeout")]).response.error?.code, "server_error");
});

test("a cancelled response closes as incomplete with the status cancelled", () => {
  const { types, response } = project(
    [started, proposed("a"), proposed("b"), callStarted("a"), callStarted("b"), ended("aborted")],
    withFiles,
  );
  assert.equal(types.at(-1), "incomplete");
  assert.equal(response.status, "cancelled");
  assert.equal(response.incomplete_details, null);
  assert.deepEqual(
    response.output.slice(1).map((item) => item.type === "mcp_call" && item.status),
    ["failed", "failed"],
  );
});

test("a response that is cancelled before it starts closes as incomplete", () => {
  const { types } = project([ended("aborted")], { echo: { ...echo, background: true } });
  assert.deepEqual(types, ["created", "queued", "incomplete"]);
});

test("nothing follows the closing event", () => {
  const { types } = project([
    started,
    ended(),
    ...textEvents("t", ["late"]),
    heartbeat,
    ended("error"),
  ]);
  assert.deepEqual(types, ["created", "in_progress", "completed"]);
});

const restarted: ChainEvent = { type: "model.restarted", reason: "the server was restarted" };

test("a text truncated by a restart remains, and a new one begins", () => {
  const { response } = project([
    started,
    ...textEvents("t1", ["Once up"]).slice(0, 2),
    restarted,
    ...textEvents("t2", ["Once upon a time"]),
    ended(),
  ]);
  assert.deepEqual(
    response.output.map(
      (item) => item.type === "message" && [item.status, item.content.map(partText).join()],
    ),
    [
      ["completed", "Once up"],
      ["completed", "Once upon a time"],
    ],
  );
});

test("a restart during a call that was announced fails the response", () => {
  const { response } = project([
    started,
    ...written("c", ['{"a":1}']),
    restarted,
    ...textEvents("t", ["x"]),
    ended(),
  ]);
  assert.equal(response.status, "failed");
  assert.match(response.error?.message ?? "", /send the request again/);
});

test("a call interrupted by a restart before it was announced is never shown", () => {
  const script = [
    started,
    proposed("s"),
    callStarted("s"),
    ...written("c", ['{"a":1}']),
    restarted,
    settled("s", "done"),
    ...written("c", ['{"a":2}']),
    ended(),
  ];
  const { response } = project(script, withFiles);
  assert.deepEqual(
    response.output.map((item) => (item.type === "function_call" ? item.arguments : item.type)),
    ["mcp_list_tools", "mcp_call", '{"a":2}'],
  );
});

test("previous response and conversation are shown if there are any", () => {
  const { response } = project([started], { previousResponseId: "resp_0", conversation: "conv_1" });
  assert.deepEqual(
    [response.previous_response_id, response.conversation],
    ["resp_0", { id: "conv_1" }],
  );
  assert.ok(!("conversation" in project([started]).response));
});
