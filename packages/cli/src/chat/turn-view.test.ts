import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChainEvent, ToolOutputChannel } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";
import { chainEnded, numbered, proposed, settled, spokenText } from "../testing/run-events.ts";
import { plainStyle } from "../terminal/style.ts";
import { createTurnView } from "./turn-view.ts";
import type { Segment } from "../terminal/terminal.ts";

async function shown(events: readonly ChainEvent[]) {
  const view = createTurnView({ style: plainStyle });
  const channel = new ToolOutputChannel<RunEvent>();
  for (const event of numbered(events)) channel.push(event);
  channel.end();
  const segments: Segment[] = [];
  for await (const event of channel.read()) segments.push(...view.show(event));
  const text = (channel?: string) =>
    segments
      .filter((one) => channel === undefined || one.channel === channel)
      .map((one) => one.text)
      .join("");
  return { all: text(), answer: text("answer") };
}

test("a turn shows text, calls with time and tokens, text, and the totals, in order", async () => {
  const { all, answer } = await shown([
    ...spokenText("i1", "Let me ", "look."),
    proposed("c1", "ListFiles", '{"path":"."}'),
    { type: "call.started", callId: "c1", at: 0 },
    settled("c1", {
      tokens: { definition: 0, arguments: 0, shown: 340, withheld: 1200 },
      cacheVarResult: "ListFiles_1",
    }),
    ...spokenText("i2", "Two files."),
    chainEnded(),
  ]);
  assert.equal(
    all,
    `Let me look.
→ ListFiles {"path":"."}
✓ ListFiles · 12 ms · 340 tokens · 1,200 omitted, stored as ListFiles_1
Two files.
1.2 s · 1 call · 1,200 tokens in, 34 out
`,
  );
  assert.equal(answer, "Let me look.\nTwo files.\n");
});

test("text that was not streamed is shown when its item ends, and no text is shown twice", async () => {
  const { answer } = await shown([
    { type: "item.start", itemId: "i1", kind: "text" },
    { type: "item.delta", itemId: "i1", delta: "so far" },
    { type: "item.end", itemId: "i1", text: "so far, and the rest" },
    { type: "item.start", itemId: "i2", kind: "text" },
    { type: "item.end", itemId: "i2", text: "whole", incomplete: true },
  ]);
  assert.equal(answer, "so far, and the rest\nwhole\n");
});

// Contract: plugins-11
test("a final tool's text is the answer, even next to the output of another tool", async () => {
  const { all, answer } = await shown([
    proposed("c1", "Report"),
    proposed("c2", "Other"),
    { type: "call.started", callId: "c1", at: 0 },
    { type: "item.start", itemId: "a1", kind: "text", callId: "c1" },
    { type: "call.started", callId: "c2", at: 0 },
    { type: "item.delta", itemId: "a1", delta: "All is " },
    { type: "item.start", itemId: "o2", kind: "output", callId: "c2" },
    { type: "item.delta", itemId: "o2", delta: "beside it" },
    { type: "item.delta", itemId: "a1", delta: "well." },
    { type: "item.end", itemId: "o2", text: "beside it" },
    settled("c2"),
    { type: "item.end", itemId: "a1", text: "All is well." },
    settled("c1"),
    chainEnded(),
  ]);
  assert.equal(answer, "All is well.\n");
  assert.match(all, /All is well\.\n✓ Report .*\n +┌ Other\n +│ beside it\n✓ Other/);
});

test("the output of tools is shown one tool at a time, each under its name", async () => {
  const { all } = await shown([
    proposed("c1", "One"),
    proposed("c2", "Two"),
    { type: "item.start", itemId: "o1", kind: "output", callId: "c1" },
    { type: "item.start", itemId: "o2", kind: "output", callId: "c2" },
    { type: "item.delta", itemId: "o2", delta: "second\n" },
    { type: "item.delta", itemId: "o1", delta: "first\nli" },
    { type: "item.delta", itemId: "o1", delta: "ne" },
    { type: "item.end", itemId: "o1", text: "first\nline" },
    settled("c1"),
    { type: "item.end", itemId: "o2", text: "second\n" },
    settled("c2"),
  ]);
  assert.equal(
    all,
    `→ One {}
→ Two {}
  ┌ One
  │ first
  │ line
✓ One · 12 ms · 10 tokens
  ┌ Two
  │ second
✓ Two · 12 ms · 10 tokens
`,
  );
});

test("text of a tool or a model cannot control the terminal", async () => {
  const { all } = await shown([
    ...spokenText("i1", "\u001B[2J"),
    proposed("c1", "To\u001Bol", "\u001B]52;c;x\u0007\n"),
    {
      type: "call.settled",
      callId: "c1",
      at: 0,
      status: "error",
      result: {
        finalText: "",
        isTruncated: false,
        tokens: { definition: 0, arguments: 0, shown: 1, withheld: 0 },
        durationMs: 1,
        preview: "",
        error: { code: "x", message: "bad\u001B[0m\nnews" },
      },
    },
  ]);
  // oxlint-disable-next-line no-control-regex -- the text must not contain control characters
  assert.doesNotMatch(all, /\u001B/);
  assert.match(all, /✗ To⟨U\+001B⟩ol · 1 ms · failed: bad⟨U\+001B⟩\[0m↵news\n$/);
});

test("the end of a turn is shown with its reason", async () => {
  const failure: ChainEvent = {
    ...chainEnded(),
    status: "error",
    error: { code: "authentication", message: "The key is wrong.", phase: "model" },
  } as ChainEvent;
  assert.match((await shown([failure])).all, /^The turn failed: The key is wrong\.\n/);
  assert.match((await shown([chainEnded("aborted")])).all, /^Stopped\.\n/);
});
