import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent, JsonObject } from "@capstan/core";
import type { RunNotice } from "@capstan/contract";
import fc from "fast-check";
import {
  ended,
  heartbeat,
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
import { createRunProjection, type RunPiece } from "./project-run.ts";
import type { CallForm } from "./calls-unit.ts";

type Script = readonly (ChainEvent | RunNotice)[];

const identity = { runId: "run_1", threadId: "thread_1", assistantId: "asst_1" };

function project(script: Script, forms: { readonly [id: string]: CallForm } = {}) {
  const projection = createRunProjection({ identity, forms });
  const pieces = numbered(script).flatMap((event) => projection.push(event));
  return { projection, pieces };
}

/** Removes the deltas, which a stored run does not have. */
function compact(script: Script): Script {
  return script.filter(({ type }) => type !== "item.delta");
}

/** Builds the objects of a stream as a client does: from its created and delta events. */
function accumulate(pieces: readonly RunPiece[]): Map<string, JsonObject> {
  const objects = new Map<string, JsonObject>();
  for (const piece of pieces) {
    if (!("data" in piece)) continue;
    const { id, delta } = piece.data as { readonly id: string; readonly delta?: JsonObject };
    if (delta === undefined) {
      if (/\.(created|in_progress)$/.test(piece.event)) objects.set(id, piece.data);
      continue;
    }
    objects.set(id, merged(objects.get(id) ?? {}, delta));
  }
  return objects;
}

/** Merges a delta as OpenAI's clients do: texts are joined, and lists by the index of their items. */
function merged(value: JsonObject, delta: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...value };
  for (const [key, more] of Object.entries(delta)) {
    const old = result[key];
    if (key === "index") continue;
    if (key === "type" || old === undefined || old === null) result[key] = fresh(more);
    else if (typeof old === "string" && typeof more === "string") result[key] = old + more;
    else if (Array.isArray(old) && Array.isArray(more)) {
      const list: unknown[] = [...(old as readonly unknown[])];
      for (const item of more as readonly (JsonObject & { readonly index: number })[])
        list[item.index] = merged((list[item.index] ?? {}) as JsonObject, item);
      result[key] = list;
    } else result[key] = merged(old as JsonObject, more as JsonObject);
  }
  return result as JsonObject;
}

function fresh(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fresh);
  if (typeof value !== "object" || value === null) return value;
  return merged({}, value as JsonObject);
}

/** Checks that at most one step and one message are open at a time, and that each ends once. */
function assertGrammar(pieces: readonly RunPiece[]): void {
  let step: string | undefined;
  let message: string | undefined;
  const done = new Set<string>();
  for (const piece of pieces) {
    if (!("data" in piece)) continue;
    const { event, data } = piece;
    const id = String(data["id"]);
    const isStep = event.startsWith("thread.run.step.");
    if (event.endsWith(".created")) {
      assert.equal(isStep ? step : message, undefined, event);
      assert.ok(!done.has(id), `${id} is created twice`);
      if (isStep) step = id;
      else message = id;
      continue;
    }
    assert.equal(isStep ? step : message, id, event);
    if (/\.(in_progress|delta)$/.test(event)) continue;
    done.add(id);
    if (isStep) step = undefined;
    else message = undefined;
  }
  assert.deepEqual([step, message], [undefined, undefined]);
}

const search: Script = [
  started,
  roundStarted(1),
  ...written("s1", ['{"query":', '"a"}'], { owner: "server", name: "Find" }),
  roundEnded("tool_calls"),
  proposed("s1", { name: "Find", toolId: "g.Find", argumentsText: '{"query":"a"}' }),
  proposed("s2", { name: "Run", toolId: "g.Run", argumentsText: '{"code":"1+1"}' }),
  settled("s2", "2"),
  settled("s1", "found"),
  roundStarted(2),
  ...textEvents("t", ["It is", " 2."]),
  roundEnded(),
  ended(),
];

test("calls have the form of their type, with input and results", () => {
  const forms = { "g.Find": "file_search", "g.Run": "code_interpreter" } as const;
  const withFile = search.map((event) =>
    event.type === "call.settled" && event.callId === "s1"
      ? {
          ...event,
          result: {
            ...event.result,
            annotations: [{ type: "file_citation", fileId: "file-1", filename: "a.md" } as const],
          },
        }
      : event,
  );
  const { projection, pieces } = project(withFile, forms);
  assertGrammar(pieces);
  const [step] = projection.steps();
  const calls = [
    {
      id: "s1",
      type: "file_search",
      file_search: {
        results: [
          {
            file_id: "file-1",
            file_name: "a.md",
            score: 0,
            content: [{ type: "text", text: "found" }],
          },
        ],
      },
    },
    {
      id: "s2",
      type: "code_interpreter",
      code_interpreter: { input: "1+1", outputs: [{ type: "logs", logs: "2" }] },
    },
  ];
  assert.deepEqual(step?.["step_details"], { type: "tool_calls", tool_calls: calls });
  const streamed = accumulate(pieces).get("step_1_0");
  assert.deepEqual(streamed?.["step_details"], { type: "tool_calls", tool_calls: calls });
});

test("pictures of a final tool are a message with image files", () => {
  const image = { type: "image", mimeType: "image/png", fileId: "file-1" } as const;
  const source = { type: "blob", sha256: "0", size: 1 } as const;
  const drawn = settled("f", "[image]");
  assert.ok(drawn.type === "call.settled");
  const { projection, pieces } = project([
    started,
    roundStarted(1),
    roundEnded("tool_calls"),
    proposed("f", { name: "Draw", final: true }),
    { ...drawn, result: { ...drawn.result, parts: [{ ...image, source }] } },
    ended(),
  ]);
  assertGrammar(pieces);
  const [message] = projection.messages();
  const content = [{ type: "image_file", image_file: { file_id: "file-1", detail: "auto" } }];
  assert.deepEqual(message?.["content"], content);
  assert.deepEqual(accumulate(pieces).get(message?.id ?? "")?.["content"], content);
});

test("hidden calls and sub-calls are not steps", () => {
  const { projection } = project([
    started,
    roundStarted(1),
    roundEnded("tool_calls"),
    proposed("h", { hidden: true }),
    settled("h", "x"),
    proposed("s", { parentCallId: "h" }),
    settled("s", "y"),
    roundStarted(2),
    ...textEvents("t", ["Done."]),
    roundEnded(),
    ended(),
  ]);
  assert.deepEqual(
    projection.steps().map((step) => step["type"]),
    ["message_creation"],
  );
});

test("text before a restart of the model is an incomplete message of a failed step", () => {
  const [start, delta] = textEvents("a", ["Hal"]);
  const { projection, pieces } = project([
    started,
    roundStarted(1),
    start!,
    delta!,
    { type: "item.end", itemId: "a", text: "Hal", incomplete: true },
    { type: "model.restarted", reason: "connection" },
    ...textEvents("b", ["Hello"]),
    roundEnded(),
    ended(),
  ]);
  assertGrammar(pieces);
  assert.deepEqual(
    projection.messages().map((message) => message["status"]),
    ["incomplete", "completed"],
  );
  assert.deepEqual(
    projection.steps().map((step) => step["status"]),
    ["failed", "completed"],
  );
});

const word = fc.string({ unit: fc.constantFrom("a", "b", " ", "ü"), minLength: 1, maxLength: 5 });
const statuses = ["success", "error", "cancelled"] as const;

/** A round: texts and calls, whose results arrive in any order. */
const round = fc.record({
  texts: fc.array(fc.array(word, { maxLength: 3 }), { maxLength: 2 }),
  calls: fc.array(
    fc.record({
      isClients: fc.boolean(),
      isCut: fc.boolean(),
      name: fc.constantFrom("Find", "Run", "Other"),
      status: fc.constantFrom(...statuses),
    }),
    { maxLength: 3 },
  ),
  seed: fc.nat(),
  restart: fc.boolean(),
});

const run = fc.record({
  rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  end: fc.constantFrom("completed", "aborted", "error", "timeout"),
  /** The number of events that the run had before it ended early. */
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
});

function scriptOf({
  rounds,
  end,
  cut,
}: typeof run extends fc.Arbitrary<infer T> ? T : never): Script {
  const events: (ChainEvent | RunNotice)[] = [started, heartbeat];
  for (const [n, { texts, calls, seed, restart }] of rounds.entries()) {
    events.push(roundStarted(n + 1));
    const written_ = texts.flatMap((deltas, m) => textEvents(`t${n}_${m}`, deltas));
    if (restart) events.push(...written_, { type: "model.restarted", reason: "connection" });
    events.push(...texts.flatMap((deltas, m) => textEvents(`u${n}_${m}`, deltas)));
    const named = calls.map((call, m) => ({ ...call, id: `c${n}_${m}` }));
    for (const { id, isClients, name } of named)
      events.push(...written(id, ["{", "}"], { owner: isClients ? "client" : "server", name }));
    events.push({
      ...roundEnded(named.length > 0 ? "tool_calls" : "stop"),
      round: n + 1,
    } as ChainEvent);
    for (const { id, isClients, name } of named)
      events.push(
        proposed(id, {
          owner: isClients ? "client" : "server",
          name,
          toolId: `g.${name}`,
          argumentsText: "{}",
        }),
      );
    const clients = named.filter(({ isClients }) => isClients);
    if (clients.length > 0) events.push(waiting(...clients.map(({ id }) => id)));
    const order = named.toSorted((a, b) => ((seed + a.id.length) % 3) - ((seed + b.id.length) % 2));
    for (const { id, status } of order) events.push(settled(id, `result of ${id}`, status));
  }
  const kept = events.slice(0, 1 + Math.ceil(cut * events.length));
  const error = { code: "server", message: "It broke.", phase: "model" } as const;
  return [...kept, ended(end, end === "error" ? error : undefined)];
}

// Contract: plugins-97
test("GET returns the same objects as the stream, whatever the run does and however it ends", () => {
  fc.assert(
    fc.property(run, fc.boolean(), (given, isTyped) => {
      const script = scriptOf(given);
      const forms = isTyped
        ? ({ "g.Find": "file_search", "g.Run": "code_interpreter" } as const)
        : {};
      const { pieces, projection } = project(script, forms);
      assertGrammar(pieces);
      const stored = project(completeItems(script), forms).projection;
      assert.deepEqual(stored.steps(), projection.steps());
      assert.deepEqual(stored.messages(), projection.messages());
      const finals = new Map(
        pieces.flatMap((piece) =>
          "data" in piece && piece.data["delta"] === undefined
            ? [[String(piece.data["id"]), piece.data] as const]
            : [],
        ),
      );
      const shown = [...projection.steps(), ...projection.messages()];
      assert.deepEqual([...finals.keys()].toSorted(), shown.map(({ id }) => id).toSorted());
      const built = accumulate(pieces);
      for (const object of shown) {
        assert.deepEqual(finals.get(object.id), object);
        const { content, step_details: details } = built.get(object.id) ?? {};
        assert.deepEqual(
          { content, details },
          {
            content: object["content"],
            details: object["step_details"],
          },
        );
      }
    }),
    { numRuns: 300 },
  );
});

/**
 * Returns the events as they are stored: each item has its whole text, and an item without an end
 * has one delta.
 */
function completeItems(script: Script): Script {
  const ends = new Set(
    script.flatMap((event) => (event.type === "item.end" ? [event.itemId] : [])),
  );
  const open = new Map<string, string>();
  for (const event of script)
    if (event.type === "item.delta" && !ends.has(event.itemId))
      open.set(event.itemId, (open.get(event.itemId) ?? "") + event.delta);
  const last = new Map<string, ChainEvent | RunNotice>();
  for (const event of script)
    if (event.type === "item.delta" && open.has(event.itemId)) last.set(event.itemId, event);
  return script.flatMap((event) => {
    if (event.type !== "item.delta") return compact([event]);
    if (last.get(event.itemId) !== event) return [];
    return [{ ...event, delta: open.get(event.itemId) ?? "" }];
  });
}
