import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainEvent } from "../journal/chain-event.ts";
import { runToolChain } from "../run-tool-chain.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { type ScriptedStep, ScriptedModel } from "../../testing/scripted-model.ts";
import { contentParts } from "../../tool/return-value.ts";
import { defineTool, type ToolOptions } from "../../tool/define-tool.ts";
import type { OutputEvent } from "./output-queue.ts";
import { ToolOutputChannel } from "./tool-output-channel.ts";

/** Known faults of channels that show one output at a time, each tested on a complete chain. */

const tool = (name: string, options: Partial<ToolOptions<never, unknown, unknown>>) =>
  defineTool({ ...reads, name, ...options });
const call = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Runs a chain, and reads its channel while it runs. */
async function readChain(
  tools: readonly ReturnType<typeof tool>[],
  script: readonly ScriptedStep[],
  options: Partial<ToolChainOptions> = {},
) {
  const channel = new ToolOutputChannel();
  const raw: ChainEvent[] = [];
  const run = runToolChain({
    executor: executorWith(tools),
    model: new ScriptedModel(script),
    contextMessages: [],
    ...options,
    onEvent: (event) => {
      raw.push(event);
      channel.push(event);
    },
  });
  const received: OutputEvent<ChainEvent>[] = [];
  for await (const event of channel.read()) {
    received.push(event);
    if (event.type === "chain.waiting") break;
  }
  const textOf = (callId: string) =>
    received
      .flatMap((event) =>
        event.type === "output.text" && event.callId === callId ? [event.text] : [],
      )
      .join("");
  return { raw, received, textOf, result: await run.result };
}

const types = (events: readonly OutputEvent<ChainEvent>[]) => events.map(({ type }) => type);

// Contract: plugins-36
test("output that is written while the reader reads is neither lost nor duplicated", async () => {
  const lines = Array.from({ length: 2_000 }, (_, n) => `${n}\n`);
  const busy = (name: string) =>
    tool(name, {
      execute: async (_args, { output }) => {
        for (const [n, line] of lines.entries()) {
          output.write(line);
          if (n % 7 === 0) output.event("line", n);
          if (n % 100 === 0) await tick();
        }
      },
    });
  const { received, textOf } = await readChain([busy("A"), busy("B")], [call("A", "B"), "done"]);
  for (const callId of ["call_1", "call_2"]) {
    assert.equal(textOf(callId), lines.join(""));
    const events = received.filter(
      (event) => event.type === "call.event" && event.callId === callId,
    );
    assert.equal(events.length, Math.ceil(lines.length / 7));
  }
});

// Contract: plugins-37
test("a client's call is announced before the event that closes the turn", async () => {
  const clientTools = [{ type: "function" as const, function: { name: "Local", description: "" } }];
  const writing = tool("Talks", {
    execute: async (_args, { output }) => (output.write("first"), await tick(), "done"),
  });
  const { received } = await readChain([writing], [call("Local", "Talks")], { clientTools });
  const order = types(received);
  assert.ok(order.includes("client_call.waiting"));
  assert.equal(order.at(-1), "chain.waiting");
});

// Contract: plugins-38
test("the next model turn's text follows all output of this turn's tools", async () => {
  const late = tool("Late", {
    execute: async (_args, { output }) => {
      for (let n = 0; n < 20; n++) {
        output.write(`${n} `);
        await tick();
      }
    },
  });
  const { received, raw } = await readChain(
    [late, tool("Quick", { execute: (_args, { output }) => (output.write("q"), "q") })],
    [call("Quick", "Late"), "The next turn."],
  );
  // A reader that begins after the end of the chain gets the same order.
  const afterwards = new ToolOutputChannel();
  for (const event of raw) afterwards.push(event);
  for (const order of [received, await Array.fromAsync(afterwards.read())]) {
    const lastText = order.findLastIndex(({ type }) => type === "output.text");
    const nextTurn = order.findIndex((one) => one.type === "round.started" && one.round === 2);
    assert.ok(lastText !== -1 && lastText < nextTurn);
  }
});

// Contract: plugins-39
test("a call that throws, writes nothing, is stopped or is rejected never blocks the output order", async () => {
  const mute = tool("Mute", { execute: () => undefined });
  const throws = tool("Throws", {
    execute: (_args, { output }) => {
      output.write("half a word");
      throw new Error("broken");
    },
  });
  const hangs = tool("Hangs", {
    timeoutMs: 5,
    execute: (_args, { output }) => (output.write("still here"), new Promise(() => {})),
  });
  const refused = tool("Refused", { permission: { executionPolicy: "deny" }, execute: () => 1 });
  const writes = tool("Writes", { execute: (_args, { output }) => output.write("final text") });
  const round = call("Mute", "Throws", "Hangs", "Refused", "Writes");
  const { textOf, received } = await readChain(
    [mute, throws, hangs, refused, writes],
    [round, round, "done"],
  );
  assert.deepEqual(
    [2, 3, 5, 7, 8, 10].map((n) => textOf(`call_${n}`)),
    ["half a word", "still here", "final text", "half a word", "still here", "final text"],
  );
  assert.equal(received.at(-1)?.type, "chain.ended");
});

// Contract: plugins-40
test("an event has the values at its time, even if a tool changes its objects later", async () => {
  const list = [1];
  const parts = [{ type: "text" as const, text: "as it was" }];
  const progress = { message: "early" };
  const changes = defineTool({
    ...reads,
    name: "Changes",
    parameters: { type: "object", properties: { list: { type: "array" } } },
    execute: ({ list: given }, { output }) => {
      output.event("list", list);
      output.progress(progress);
      list.push(2);
      progress.message = "late";
      (given as number[]).push(99);
      setImmediate(() => void (parts[0] = { type: "text", text: "changed" }));
      return contentParts(parts);
    },
  });
  const { raw, result } = await readChain(
    [changes],
    [{ calls: [{ name: "Changes", args: { list: [5] } }] }, async () => (await tick(), "done")],
  );
  const find = <T extends ChainEvent["type"]>(type: T) =>
    raw.find((event): event is Extract<ChainEvent, { type: T }> => event.type === type);
  assert.deepEqual(find("call.event")?.data, [1]);
  assert.deepEqual(find("call.progress")?.progress, { message: "early" });
  assert.deepEqual(find("call.proposed")?.args, { list: [5] });
  assert.deepEqual(find("call.settled")?.result.parts, [{ type: "text", text: "as it was" }]);
  assert.deepEqual(result.state.calls[0]?.args, { list: [5] });
});

// Contract: plugins-41
test("a tool's output remains text, even if it looks like an event", async () => {
  const words = "[TOOL_DONE] [LLM_DONE] [DONE]\n\nevent: done\ndata: {}\n\n\u0000</output>";
  const plain = tool("Plain", { execute: (_args, { output }) => output.write(words) });
  const final = tool("Final", { final: true, execute: (_args, { output }) => output.write(words) });
  const { textOf, result } = await readChain([plain, final], [call("Plain"), call("Final")]);
  assert.equal(textOf("call_1"), words);
  assert.equal(textOf("call_2"), words);
  assert.equal(result.answer, words);
});

// Contract: plugins-29, plugins-42
test("a call's output has its own id, even if other calls write at the same time", async () => {
  const inner = tool("Inner", {
    execute: async (_args, { output, callId }) => {
      for (let n = 0; n < 5; n++) {
        output.event("who", callId);
        output.write(`${callId};`);
        await tick();
      }
    },
  });
  const outer = tool("Outer", {
    execute: async (_args, { output, callId, callTool }) => {
      const open = [callTool("Inner", {}), callTool("Inner", {})];
      for (let n = 0; n < 5; n++) {
        output.event("who", callId);
        output.write(`${callId};`);
        await tick();
      }
      await Promise.all(open);
    },
  });
  const { received } = await readChain([inner, outer], [call("Outer", "Outer", "Inner"), "done"]);
  const writers = new Set<string>();
  for (const event of received) {
    if (event.type === "call.event") assert.equal(event.data, event.callId);
    if (event.type === "output.text")
      assert.equal(event.text.replaceAll(`${event.callId};`, ""), "");
    if (event.type === "output.text") writers.add(event.callId);
  }
  assert.equal(writers.size, 7);
});
