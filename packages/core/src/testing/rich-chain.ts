import { ToolExecutor } from "../call/tool-executor.ts";
import type { Clock } from "../base/clock.ts";
import type { Message } from "../model/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";
import { GrantBook, type Grant } from "../policy/grant.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolError } from "../tool/return-value.ts";
import type { Variable } from "../variables/variable.ts";
import { VariableSystem } from "../variables/variable-system.ts";
import { reads } from "./executor-with.ts";

/** The effects of the rich chain's tools, and their running work. */
export interface World {
  /** Idempotency key → the number of its effects. */
  readonly effects: Map<string, number>;
  /** Idempotency key → the number of times a tool was called with it. */
  readonly entered: Map<string, number>;
  running: number;
}

/** Returns a world without effects. */
export function newWorld(): World {
  return { effects: new Map(), entered: new Map(), running: 0 };
}

/**
 * A clock whose time never changes, so that records can be compared. Delays of up to a second end
 * immediately, longer delays never.
 */
export const fixedClock: Clock = {
  now: () => 1_000_000,
  monotonic: () => 1_000_000,
  after(ms, callback) {
    if (ms > 1_000) return () => {};
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

/** The steps of a turn with every kind of call. The texts depend only on the messages. */
const steps: readonly (readonly (readonly [name: string, args: string])[])[] = [
  [
    ["Look", '{"n":1}'],
    ["Wait", "{}"],
    ["Asks", '{"what":"one"}'],
    ["Outer", "{}"],
    ["Broken", "{}"],
    ["Nowhere", "{}"],
    ["Look", "{broken"],
  ],
  [
    ["Pay", '{"sum":5}'],
    ["Flaky", "{}"],
    ["Pay", '{"sum":6}'],
    ["Asks", '{"what":"two"}'],
  ],
  [["Look", '{"n":3}']],
];

function stepOf(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === "assistant" && message.tool_calls).length;
}

/**
 * Returns a model that plays the steps, each in several events. An id consists of the step and the
 * position within it.
 */
export function richModel({ without }: { readonly without?: string } = {}): Model {
  return {
    id: "test/rich",
    async *stream({ messages }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const step = stepOf(messages);
      const calls = (steps[step] ?? []).filter(([name]) => name !== without);
      yield { type: "reasoning-delta", text: "Let me think. " };
      yield { type: "reasoning-end", providerMetadata: { test: { signature: `s${step}` } } };
      for (const text of ["Step ", `${step}.`]) {
        // Yields to the event loop, so that running work proceeds.
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        yield { type: "text-delta", text };
      }
      for (const [place, [name, text]] of calls.entries()) {
        const id = `call_${step}_${place}`;
        yield { type: "tool-call-start", id, name };
        yield { type: "tool-call-delta", id, delta: text };
        yield { type: "tool-call-end", id, name, arguments: text };
      }
      const reason = calls.length > 0 ? "tool_calls" : "stop";
      yield { type: "finish", reason, usage: { inputTokens: 10 + step, outputTokens: 5 } };
    },
  };
}

/** Returns the gate of the rich chain, with the variables of an earlier process. */
export function richExecutor(
  world: World,
  kept: { readonly variables?: readonly Variable[]; readonly grants?: readonly Grant[] } = {},
): ToolExecutor {
  const enter = (key: string) => {
    world.entered.set(key, (world.entered.get(key) ?? 0) + 1);
  };
  /** Waits for some turns of the event loop. Ends immediately if the signal aborts. */
  const pause = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      world.running++;
      const stop = () => {
        clearImmediate(timer);
        world.running--;
        reject(signal.reason as Error);
      };
      let turns = 3;
      const turn = () => {
        if (turns-- > 0) return void (timer = setImmediate(turn));
        signal.removeEventListener("abort", stop);
        world.running--;
        resolve();
      };
      let timer = setImmediate(turn);
      signal.addEventListener("abort", stop, { once: true });
    });
  const tool = { ...reads, parameters: { type: "object" } } as const;
  const tools = [
    defineTool({
      ...tool,
      name: "Look",
      execute: ({ n }, { idempotencyKey }) => {
        enter(idempotencyKey);
        return { seen: n };
      },
    }),
    defineTool({
      ...tool,
      name: "Wait",
      execute: async (_args, { signal, output, idempotencyKey }) => {
        enter(idempotencyKey);
        output.write("still ");
        output.progress({ message: "half" });
        await pause(signal);
        output.write("waiting");
        return "waited";
      },
    }),
    defineTool({
      ...tool,
      name: "Asks",
      permission: { executionPolicy: "ask-once" },
      execute: ({ what }, { idempotencyKey }) => {
        enter(idempotencyKey);
        return `asked ${String(what)}`;
      },
    }),
    defineTool({
      ...tool,
      name: "Outer",
      execute: async (_args, { callTool, idempotencyKey }) => {
        enter(idempotencyKey);
        const inner = await callTool("Look", { n: 2 });
        return inner.status;
      },
    }),
    defineTool({
      ...tool,
      name: "Broken",
      execute: (_args, { idempotencyKey }) => {
        enter(idempotencyKey);
        return toolError({ code: "broken", message: "It is broken." });
      },
    }),
    defineTool({
      ...tool,
      name: "Pay",
      effects: "write",
      idempotent: true,
      execute: async ({ sum }, { signal, idempotencyKey }) => {
        enter(idempotencyKey);
        await pause(signal);
        // The recipient stores the keys, so that the same payment happens once.
        if (!world.effects.has(idempotencyKey)) world.effects.set(idempotencyKey, 1);
        return `paid ${String(sum)}`;
      },
    }),
    defineTool({
      ...tool,
      name: "Flaky",
      retry: { attempts: 3, baseMs: 10 },
      execute: (_args, { idempotencyKey }) => {
        enter(idempotencyKey);
        const busy = toolError({ code: "busy", message: "Busy.", retryable: true });
        return (world.entered.get(idempotencyKey) ?? 0) % 2 === 1 ? busy : "at last";
      },
    }),
  ];
  const executor = new ToolExecutor({
    clock: fixedClock,
    variables: VariableSystem.restore(kept.variables ?? [], { clock: fixedClock }),
    grants: new GrantBook(kept.grants ?? []),
    approvals: {
      request: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { decision: "allow" };
      },
    },
  });
  executor.registerToolGroup({ name: "rich", tools });
  executor.toggleGroupEnabled("rich", true);
  return executor;
}
