import assert from "node:assert/strict";
import { test } from "node:test";
import { createChatCalls } from "./chat-calls.ts";

interface Piece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly arguments?: unknown;
}

/**
 * Returns the calls that the pieces form, and checks that the streamed arguments equal the final
 * arguments.
 */
function callsOf(pieces: readonly Piece[]) {
  const calls = createChatCalls("custom");
  const streamed = new Map<string, string>();
  for (const { name, arguments: args, ...rest } of pieces)
    for (const part of calls.add({
      ...rest,
      type: "function",
      function: { name, arguments: args },
    }))
      if (part.type === "tool-input-start") {
        assert.ok(!streamed.has(part.id));
        streamed.set(part.id, "");
      } else if (part.type === "tool-input-delta")
        streamed.set(part.id, `${streamed.get(part.id)}${part.delta}`);
  return calls.finish().map((part) => {
    assert.ok(part.type === "tool-call");
    assert.equal(part.input, streamed.get(part.toolCallId));
    return [part.toolName, part.input];
  });
}

const two = [
  ["A", '{"a":1}'],
  ["B", '{"b":2}'],
];

// Contract: model-messages-12
test("assigns the pieces of parallel calls, whatever identifies them", () => {
  const pieces: { readonly [title: string]: readonly Piece[] } = {
    "an index on each piece, the id on the first": [
      { index: 0, id: "a", name: "A", arguments: "" },
      { index: 1, id: "b", name: "B", arguments: '{"b"' },
      { index: 0, arguments: '{"a":' },
      { index: 1, arguments: ":2}" },
      { index: 0, arguments: "1}" },
    ],
    "id and name on each piece": [
      { index: 0, id: "a", name: "A", arguments: '{"a":' },
      { index: 0, id: "a", name: "A", arguments: "1}" },
      { index: 1, id: "b", name: "B", arguments: '{"b":2}' },
    ],
    "index 0 for all": [
      { index: 0, id: "a", name: "A", arguments: '{"a":' },
      { index: 0, arguments: "1}" },
      { index: 0, id: "b", name: "B", arguments: '{"b":2}' },
    ],
    "index 0 for all, without ids": [
      { index: 0, name: "A", arguments: '{"a":1}' },
      { index: 0, id: "", name: "B", arguments: '{"b":2}' },
    ],
    "no index": [
      { id: "a", name: "A", arguments: '{"a":' },
      { arguments: "1}" },
      { id: "b", name: "B", arguments: '{"b"' },
      { id: "b", arguments: ":2}" },
    ],
    "neither index nor id": [
      { name: "A", arguments: '{"a":' },
      { index: null, id: null, name: null, arguments: "1}" },
      { name: "B", arguments: '{"b":2}' },
    ],
    "the same id for both": [
      { id: "same", name: "A", arguments: '{"a":1}' },
      { id: "same", name: "B", arguments: '{"b":2}' },
    ],
    "another id on each piece": [
      { index: 0, id: "1", name: "A", arguments: '{"a":' },
      { index: 0, id: "2", arguments: "1}" },
      { index: 1, id: "3", name: "B", arguments: '{"b":2}' },
    ],
    "arguments before the name": [
      { index: 0, id: "a", arguments: '{"a":' },
      { index: 0, name: "A", arguments: "1}" },
      { index: 1, name: " ", arguments: "{" },
      { index: 1, name: "B", arguments: '"b":2}' },
    ],
    "arguments as objects": [
      { index: 0, id: "a", name: "A", arguments: { a: 1 } },
      { index: 1, id: "b", name: "B", arguments: { b: 2 } },
    ],
  };
  for (const [title, given] of Object.entries(pieces)) assert.deepEqual(callsOf(given), two, title);
});

test("continues arguments that contain an object, although the name is repeated", () => {
  const pieces = [
    { index: 0, id: "a", name: "A", arguments: '{"a":' },
    { index: 0, id: "a", name: "A", arguments: '{"b":1}' },
    { index: 0, id: "a", name: "A", arguments: "}" },
  ];
  assert.deepEqual(callsOf(pieces), [["A", '{"a":{"b":1}}']]);
});

test("ignores pieces of other types", () => {
  const calls = createChatCalls("custom");
  for (const piece of [
    { index: 0, function: { name: "A", arguments: 5 } },
    { index: 0, function: 7 },
  ])
    calls.add(piece);
  const [call] = calls.finish();
  assert.ok(call?.type === "tool-call" && call.input === "");
});

// Contract: model-messages-4
test("keeps the signature of a call", () => {
  const calls = createChatCalls("custom");
  const signature = { google: { thought_signature: "sig" } };
  calls.add({
    index: 0,
    id: "a",
    function: { name: "A", arguments: "{}" },
    extra_content: signature,
  });
  const [call] = calls.finish();
  assert.ok(call?.type === "tool-call");
  assert.deepEqual(call.providerMetadata, { custom: { thoughtSignature: "sig" } });
});
