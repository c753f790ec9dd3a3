import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { runToolChain } from "../chain/run-tool-chain.ts";
import { reads } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool, ToolGroup } from "./tool.ts";
import type { ToolDeferral } from "./tool-deferral.ts";
import type { ToolOffer } from "./tool-offer.ts";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({ ...reads, name, execute: () => name }),
  ...more,
});

/** Groups of ten tools each, a tool that is always offered, and the tool that searches. */
function groupsOf(count: number): readonly ToolGroup[] {
  const groups = Array.from({ length: count }, (_, n) => ({
    name: `group${n}`,
    description: `Tools of the kind ${n}.\nAnd more.`,
    rulePrompt: `Rules of ${n}.`,
    tools: Array.from({ length: 10 }, (_each, t) => tool(`Tool_${n}_${t}`)),
  }));
  return [
    { name: "vars", tools: [tool("ReadVar", { alwaysOffered: true })] },
    ...groups,
    { name: "find", tools: [tool("Find")] },
  ];
}

function executorOf(...groups: readonly ToolGroup[]): ToolExecutor {
  const executor = new ToolExecutor();
  for (const group of groups) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
  return executor;
}

function deferralOf(options: Partial<ToolDeferral> = {}): ToolDeferral {
  return { maxTokens: 100, searchTool: "find.Find", loaded: () => [], ...options };
}

const shown = ({ definitions }: ToolOffer) => definitions.map(({ function: { name } }) => name);

test("if the definitions have more tokens than the budget, only the search and common tools are shown", () => {
  const executor = executorOf(...groupsOf(3));
  const offer = executor.offer({ deferral: deferralOf() });
  assert.deepEqual(shown(offer), ["ReadVar", "Find"]);
  assert.equal(offer.deferred?.size, 30);
  assert.equal(offer.names["Tool_2_9"], "group2.Tool_2_9");
});

test("within the budget all definitions are shown, and no tool searches", () => {
  const executor = executorOf(...groupsOf(1));
  const offer = executor.offer({ deferral: deferralOf({ maxTokens: 10_000 }) });
  assert.equal(offer.definitions.length, 11);
  assert.equal(offer.deferred, undefined);
  assert.ok(!("Find" in offer.names));
});

test("loaded tools come last, in the order in which they were loaded", () => {
  const executor = executorOf(...groupsOf(3));
  const loaded = ["group2.Tool_2_1", "gone.Tool", "group0.Tool_0_1", "group2.Tool_2_1"];
  const offer = executor.offer({ deferral: deferralOf({ loaded: () => loaded }) });
  assert.deepEqual(shown(offer), ["ReadVar", "Find", "Tool_2_1", "Tool_0_1"]);
});

test("the oldest loaded tools are dropped when together they exceed the budget", () => {
  const executor = executorOf(...groupsOf(10));
  const ids = Array.from({ length: 100 }, (_, n) => {
    const group = Math.floor(n / 10);
    return `group${group}.Tool_${group}_${n % 10}`;
  });
  const count = (loaded: readonly string[]) => {
    const offer = executor.offer({
      deferral: deferralOf({ maxTokens: 500, loaded: () => loaded }),
    });
    assert.equal(shown(offer).at(-1), loaded.at(-1)?.split(".")[1]);
    return offer.definitions.length - 2;
  };
  const counts = ids.map((_, n) => count(ids.slice(0, n + 1)));
  assert.ok(Math.max(...counts) < 60);
  const drops = counts.filter((each, n) => each < (counts[n - 1] ?? 0)).length;
  assert.ok(drops > 1 && drops < 15, `${drops} changes of the beginning`);
});

test("tools that the request defers are hidden, a client's tools included, and others stay", () => {
  const executor = executorOf(...groupsOf(1));
  const clientTools = ["Pay", "Ask"].map(
    (name) => ({ type: "function", function: { name } }) as const,
  );
  const deferral = deferralOf({
    maxTokens: Infinity,
    defers: (id) => id === "Pay" || id.endsWith("_0"),
    loaded: () => ["Pay"],
  });
  const offer = executor.offer({ clientTools, deferral });
  assert.equal(offer.definitions.length, 13);
  assert.deepEqual(shown(offer).slice(-3), ["Find", "Ask", "Pay"]);
  assert.deepEqual([...(offer.deferred ?? [])], ["Tool_0_0", "Pay"]);
});

test("the rules name the groups of deferred tools, and have the rules of loaded tools", () => {
  const executor = executorOf(...groupsOf(2));
  const loaded = () => ["group1.Tool_1_3"];
  const rules = executor.toolRules({ deferral: deferralOf({ loaded }) });
  assert.match(rules, /Describe your task to Find/);
  assert.match(rules, /^- group0 \(10\): Tools of the kind 0\. And more\.$/m);
  assert.match(rules, /Tools: Tool_1_3\nRules of 1\./);
  assert.doesNotMatch(rules, /Rules of 0/);
  const before = executor.toolRules({ deferral: deferralOf() });
  assert.ok(rules.startsWith(before), "the section is only appended to");
});

test("the index of many groups has only their names, and is bounded", () => {
  for (const count of [50, 400]) {
    const rules = executorOf(...groupsOf(count)).toolRules({ deferral: deferralOf() });
    assert.ok(rules.length < 3_500, `${rules.length} characters`);
    assert.match(rules, count === 50 ? /group48, group49\n/ : / and \d+ more\n/);
  }
});

test("a deferred tool that the model calls without having found it runs", async () => {
  const executor = executorOf(...groupsOf(3));
  const model = new ScriptedModel([{ calls: [{ name: "Tool_1_1", args: {} }] }, { text: "Done." }]);
  const { result } = runToolChain({
    executor,
    model,
    contextMessages: [],
    inputMessages: [{ role: "user", content: "Go." }],
    deferral: deferralOf(),
  });
  const { status, toolCallHistory } = await result;
  assert.equal(status, "completed");
  assert.equal(toolCallHistory.length, 1);
  assert.equal(toolCallHistory[0]?.result?.status, "success");
});
