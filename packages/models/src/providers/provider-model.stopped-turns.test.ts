import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ChainEvent,
  defineTool,
  type Message,
  ModelError,
  runToolChain,
  ToolExecutor,
  type ToolChainResult,
} from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { bodyOf } from "../testing/body-of.ts";
import { formNames } from "../testing/provider-forms.ts";
import { vendorRules } from "../testing/vendor-rules/vendor-rules.ts";

// After any end of a turn, any provider accepts the next turn.

const script: readonly ScriptedStep[] = [
  {
    reasoning: "Let me see.",
    text: "I look.",
    calls: [
      { name: "Look", args: { at: "a" } },
      { name: "Fails" },
      { name: "Asks" },
      { name: "Unknown" },
      { name: "Theirs", args: "{" },
    ],
  },
  { text: "Once more.", calls: [{ name: "Look" }, { name: "Picture" }] },
  "That is all.",
];

function executor(): ToolExecutor {
  const reads = { effects: "read", permission: { executionPolicy: "auto" } } as const;
  const tools = [
    defineTool({ ...reads, name: "Look", description: "", execute: async () => "seen" }),
    defineTool({
      ...reads,
      name: "Fails",
      description: "",
      execute: () => {
        throw new Error("no");
      },
    }),
    defineTool({ name: "Asks", description: "", execute: () => "done" }),
    defineTool({ ...reads, name: "Picture", description: "", execute: () => "" }),
  ];
  const made = new ToolExecutor();
  made.registerToolGroup({ name: "test", tools });
  made.toggleGroupEnabled("test", true);
  return made;
}

async function turn(
  steps: readonly ScriptedStep[],
  options: { readonly signal?: AbortSignal; readonly onEvent?: (event: ChainEvent) => void } = {},
): Promise<ToolChainResult> {
  const clientTools = [{ type: "function", function: { name: "Theirs" } }] as const;
  return runToolChain({
    executor: executor(),
    model: new ScriptedModel(steps),
    contextMessages: [{ role: "user", content: "Look around." }],
    clientTools,
    ...options,
  }).result;
}

/**
 * Checks that the next turn's request follows the rules of every provider, with and without the
 * turn's log.
 */
async function assertGoesOn({ messages }: ToolChainResult, when: string): Promise<void> {
  const next: Message = { role: "user", content: "And now?" };
  for (const form of formNames) {
    for (const conversation of [[...messages.complete, next], messages.complete]) {
      const problems = vendorRules[form](await bodyOf(form, conversation));
      assert.deepEqual(problems, [], `${form}, ${when}`);
    }
  }
}

// Contract: model-messages-1
test("a turn that was stopped at any event can be continued with any provider", async () => {
  let count = 0;
  await turn(script, { onEvent: () => (count += 1) });
  assert.ok(count > 30, `${count} events`);
  for (let at = 1; at <= count; at++) {
    const controller = new AbortController();
    let seen = 0;
    const onEvent = () => {
      seen += 1;
      if (seen === at) controller.abort();
    };
    await assertGoesOn(await turn(script, { signal: controller.signal, onEvent }), `event ${at}`);
  }
});

// Contract: model-messages-2
test("a turn that waits for a client, or was abandoned, can be continued with any provider", async () => {
  const waiting = await turn([
    { calls: [{ name: "Look" }, { name: "Theirs", args: {} }, { name: "Asks" }] },
  ]);
  assert.equal(waiting.status, "requires_action");
  await assertGoesOn(waiting, "waiting");
});

// Contract: model-messages-3
test("a turn whose model failed, during or before its text, can be continued with any provider", async () => {
  const error = new ModelError({ code: "server", message: "on fire" });
  const [first] = script;
  assert.ok(first !== undefined);
  for (const steps of [
    [{ error }],
    [{ error, after: "I was" }],
    [first, { error, after: "Then" }],
  ]) {
    const failed = await turn(steps);
    await assertGoesOn(failed, `after ${steps.length} steps`);
  }
});

// Contract: model-messages-3
test("a turn that reached its limits, or whose answer was empty, can be continued with any provider", async () => {
  await assertGoesOn(await turn(["", ""]), "empty");
  const endless = Array.from({ length: 11 }, (): ScriptedStep => ({ calls: [{ name: "Look" }] }));
  await assertGoesOn(await turn([...endless, "Enough."]), "limit");
});
