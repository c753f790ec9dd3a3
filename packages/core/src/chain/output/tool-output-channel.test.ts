import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "../journal/chain-event.ts";
import type { OutputEvent } from "./output-queue.ts";
import { ToolOutputChannel, type ToolOutputChannelOptions } from "./tool-output-channel.ts";

const started = (callId: string): ChainEvent => ({ type: "call.started", callId, at: 0 });
const opened = (callId: string): ChainEvent => ({
  type: "item.start",
  itemId: `o_${callId}`,
  kind: "output",
  callId,
});
const deltaEvent = (callId: string, delta: string): ChainEvent => ({
  type: "item.delta",
  itemId: `o_${callId}`,
  delta,
});
const closed = (callId: string, text: string): ChainEvent => ({
  type: "item.end",
  itemId: `o_${callId}`,
  text,
});
const settled = (callId: string): ChainEvent => ({
  type: "call.settled",
  callId,
  at: 0,
  status: "success",
  result: {
    finalText: "",
    isTruncated: false,
    tokens: { definition: 0, arguments: 0, shown: 0, withheld: 0 },
    durationMs: 0,
    preview: "",
  },
});
const round = (n: number): ChainEvent => ({ type: "round.started", round: n, at: 0 });
const progress = (callId: string, message: string): ChainEvent => ({
  type: "call.progress",
  callId,
  progress: { message },
});
const announced = (callId: string): ChainEvent => ({
  type: "call.proposed",
  callId,
  name: callId,
  owner: "server",
  round: 1,
  at: 0,
  argumentsText: "{}",
  repairs: [],
});
const ended: ChainEvent = {
  type: "chain.ended",
  at: 0,
  status: "completed",
  usage: { inputTokens: 0, outputTokens: 0 },
  stats: {
    totalRounds: 1,
    totalCalls: 1,
    totalTime: 0,
    startTime: 0,
    endTime: 0,
    tokensDefinitions: 0,
    tokensArguments: 0,
    tokensShown: 0,
    tokensWithheld: 0,
  },
};

/**
 * Returns a short form of an event: `a:hi` for text, `a.settled` for a call's event, else its type.
 */
function word(event: OutputEvent<ChainEvent>): string {
  if (event.type === "output.text") return `${event.callId}:${event.text}`;
  if (event.type === "output.omitted") return `${event.callId} omitted ${event.events}`;
  if (event.type === "call.progress") return `${event.callId}~${event.progress.message}`;
  if (event.type.startsWith("call.") && "callId" in event)
    return `${event.callId}.${event.type.slice("call.".length)}`;
  return event.type;
}

async function read(
  events: readonly ChainEvent[],
  options: ToolOutputChannelOptions<ChainEvent> = {},
): Promise<readonly string[]> {
  const channel = new ToolOutputChannel(options);
  for (const event of events) channel.push(event);
  channel.end();
  const words: string[] = [];
  for await (const event of channel.read()) words.push(word(event));
  assert.equal(channel.kept, 0);
  return words;
}

const replayOf = (events: readonly ChainEvent[]) => (after: number) => events.slice(after);

const two: readonly ChainEvent[] = [
  round(1),
  announced("a"),
  announced("b"),
  started("b"),
  started("a"),
  opened("a"),
  deltaEvent("a", "1"),
  opened("b"),
  deltaEvent("b", "x"),
  deltaEvent("a", "2"),
  deltaEvent("b", "y"),
  closed("a", "12"),
  settled("a"),
  closed("b", "xy"),
  settled("b"),
  ended,
];

// Contract: plugins-27, plugins-28
test("calls are read one after the other, in the order of their starts", async () => {
  assert.deepEqual(await read(two), [
    "round.started",
    "a.proposed",
    "b.proposed",
    "b.started",
    "b:xy",
    "b.settled",
    "a.started",
    "a:12",
    "a.settled",
    "chain.ended",
  ]);
});

// Contract: plugins-28
test("calls can be read in the order of their first output", async () => {
  const words = await read(two, { order: "first-output" });
  assert.deepEqual(words.slice(3, 9), [
    "a.started",
    "a:12",
    "a.settled",
    "b.started",
    "b:xy",
    "b.settled",
  ]);
});

test("the current output is read immediately, piece by piece, and the next output when it has ended", async () => {
  const channel = new ToolOutputChannel();
  const reader = channel.read();
  const next = async () => {
    const { value } = await reader.next();
    return value && word(value);
  };
  const first = next();
  channel.push(started("a"));
  assert.equal(await first, "a.started");
  channel.push(started("b"));
  channel.push(opened("b"));
  channel.push(deltaEvent("b", "waits"));
  const piece = next();
  channel.push(opened("a"));
  channel.push(deltaEvent("a", "now"));
  assert.equal(await piece, "a:now");
  channel.push(deltaEvent("a", "!"));
  assert.equal(await next(), "a:!");
  const end = next();
  channel.push(closed("a", "now!"));
  channel.push(settled("a"));
  assert.equal(await end, "a.settled");
  assert.equal(await next(), "b.started");
  assert.equal(await next(), "b:waits");
});

// Contract: plugins-31
test("an approval request does not wait for the current output", async () => {
  const words = await read([
    started("a"),
    opened("a"),
    deltaEvent("a", "long"),
    announced("b"),
    settled("a"),
  ]);
  assert.deepEqual(words, ["b.proposed", "a.started", "a:long", "a.settled"]);
});

// Contract: plugins-31
test("a call that never ran reports its rejection, and blocks no other call", async () => {
  const words = await read([announced("a"), started("b"), settled("a"), settled("b")]);
  assert.deepEqual(words, ["a.proposed", "a.settled", "b.started", "b.settled"]);
});

// Contract: plugins-32
test("the next turn and the end follow all other events, even if a call never ended", async () => {
  const words = await read([
    round(1),
    started("a"),
    started("b"),
    opened("b"),
    deltaEvent("b", "cut"),
    round(2),
    announced("c"),
    started("c"),
    ended,
    deltaEvent("b", "too late"),
  ]);
  assert.deepEqual(words, [
    "round.started",
    "a.started",
    "b.started",
    "b:cut",
    "round.started",
    "c.proposed",
    "c.started",
    "chain.ended",
  ]);
});

test("text that was not streamed is read at the end of its item, without duplicates", async () => {
  const words = await read([
    started("a"),
    opened("a"),
    deltaEvent("a", "so far"),
    closed("a", "so far, and the rest"),
    settled("a"),
  ]);
  assert.deepEqual(words, ["a.started", "a:so far, and the rest", "a.settled"]);
});

const long: readonly ChainEvent[] = [
  started("a"),
  started("b"),
  opened("b"),
  deltaEvent("b", "12345678"),
  deltaEvent("b", "90"),
  progress("b", "half"),
  deltaEvent("b", "ab"),
  closed("b", "1234567890ab"),
  settled("b"),
  opened("a"),
  deltaEvent("a", "."),
  settled("a"),
  ended,
];

// Contract: plugins-33
test("a waiting call's output beyond the limit is read again from the store", async () => {
  const replay = replayOf(long);
  const limited = { limit: 340, replay };
  assert.deepEqual(await read(long, limited), await read(long));
  const tight = await read(long, { limit: 10, replay });
  assert.deepEqual(
    tight.filter((one) => one.startsWith("b")),
    ["b.started", "b:12345678", "b:90", "b~half", "b:ab", "b.settled"],
  );
});

// Contract: plugins-33
test("without a store, omitted output is reported", async () => {
  const words = await read(long, { limit: 200 });
  assert.deepEqual(
    words.filter((one) => one.startsWith("b")),
    ["b.started", "b:1234567890", "b omitted 4"],
  );
});

test("a store that fails, ends early or repeats events does not block the reader", async () => {
  const failing = () => {
    throw new Error("The disk was removed.");
  };
  const empty = () => [];
  for (const replay of [failing, empty]) {
    const words = await read(long, { limit: 10, replay });
    assert.deepEqual(
      words.filter((one) => one.startsWith("b")),
      ["b omitted 8"],
    );
  }
  const slowly = (after: number) => long.slice(after, after + 2);
  assert.deepEqual(
    await read(long, { limit: 10, replay: slowly }),
    await read(long, { limit: 10, replay: replayOf(long) }),
  );
});

test("a store that is ahead of the pushed events is not read beyond them", async () => {
  const channel = new ToolOutputChannel<ChainEvent>({ limit: 0, replay: replayOf(two) });
  const words: string[] = [];
  const reading = (async () => {
    for await (const event of channel.read()) words.push(word(event));
  })();
  for (const event of two) {
    channel.push(event);
    await Promise.resolve();
    await Promise.resolve();
  }
  await reading;
  assert.equal(words.filter((one) => one.startsWith("a:")).join(""), "a:1a:2");
  assert.equal(words.filter((one) => one.startsWith("b:")).join(""), "b:xb:y");
  assert.equal(words.at(-1), "chain.ended");
});

// Contract: plugins-35
test("a reader that falls too far behind with events of no call gets an error", async () => {
  const many = [round(1), announced("a"), announced("b")];
  await assert.rejects(read(many, { totalLimit: 100 }), /This reader fell 3 events behind/);
  const words = await read(many, { totalLimit: 100, replay: replayOf(many) });
  assert.deepEqual(words, ["round.started", "a.proposed", "b.proposed"]);
});

test("a second reader continues after the first; two simultaneous readers are rejected", async () => {
  const channel = new ToolOutputChannel({ limit: 10, replay: replayOf(two) });
  for (const event of two) channel.push(event);
  const words: string[] = [];
  for await (const event of channel.read()) {
    words.push(word(event));
    if (words.length === 1) await assert.rejects(channel.read().next(), /already has a reader/);
    if (words.length === 5) break;
  }
  for await (const event of channel.read()) words.push(word(event));
  assert.deepEqual(words, await read(two, { limit: 10, replay: replayOf(two) }));
});

test("a replay is closed as soon as enough was read", async () => {
  let open = 0;
  async function* replay(after: number) {
    open++;
    try {
      yield* long.slice(after);
      await new Promise(() => {});
    } finally {
      open--;
    }
  }
  const words = await read(long, { limit: 10, replay });
  assert.equal(words.at(-1), "chain.ended");
  assert.equal(open, 0);
});

test("with custom positions, an event may represent several events", async () => {
  const numbered = two.map((event, index) => ({ ...event, seq: 10 * index + 5 }));
  const channel = new ToolOutputChannel<ChainEvent & { readonly seq: number }>({
    limit: 0,
    position: ({ seq }) => seq,
    replay: (after) => numbered.filter(({ seq }) => seq > after),
  });
  // The events of a compact replay, which has no deltas.
  for (const event of numbered) if (event.type !== "item.delta") channel.push(event);
  const words: string[] = [];
  for await (const event of channel.read()) words.push(word(event));
  assert.equal(words.filter((one) => one.startsWith("a:")).join(""), "a:1a:2");
  assert.equal(words.at(-1), "chain.ended");
});

test("a store that yields more than requested causes no duplicates", async () => {
  const numbered = long.map((event, index) => ({ ...event, seq: index + 1 }));
  const channel = new ToolOutputChannel<ChainEvent & { readonly seq: number }>({
    limit: 70,
    position: ({ seq }) => seq,
    replay: () => [...numbered, ...numbered],
  });
  for (const event of numbered) channel.push(event);
  const words: string[] = [];
  for await (const event of channel.read()) words.push(word(event));
  assert.equal(words.filter((one) => one.startsWith("b:")).join(""), "b:12345678b:90b:ab");
  assert.equal(words.at(-1), "chain.ended");
});

test("many small pieces are one text when their call becomes the current output", async () => {
  const pieces = Array.from({ length: 100 }, (_, n) => deltaEvent("b", `${n},`));
  const text = Array.from({ length: 100 }, (_, n) => `${n},`).join("");
  const words = await read([started("a"), started("b"), opened("b"), ...pieces, settled("a")]);
  assert.deepEqual(words.slice(2), ["b.started", `b:${text}`]);
});

test("in the order of the first output, a call without output is read too", async () => {
  const words = await read([started("a"), started("b"), settled("b"), round(2)], {
    order: "first-output",
  });
  assert.deepEqual(words, ["b.started", "b.settled", "a.started", "round.started"]);
});
