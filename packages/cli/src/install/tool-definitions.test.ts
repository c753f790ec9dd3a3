import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type ToolGroup } from "@capstan/core";
import { loadTokenizer } from "@capstan/models";
import { defaultServerLimits, searchTool, searchTools } from "@capstan/server";
import { builtInGroups } from "./built-in-groups.ts";
import { createToolExecutor } from "./create-tool-executor.ts";

const builtIn = builtInGroups({ roots: ["/work"], changes: "/work-changes" });
const search = searchTools(() => Promise.resolve([]));
const { toolTokens: maxTokens } = defaultServerLimits;
const deferral = { maxTokens, searchTool, loaded: () => [] };

/** Returns the group with all its tools marked as available. */
function complete(group: ToolGroup): ToolGroup {
  return { ...group, tools: group.tools.map(({ unavailable: _none, ...tool }) => tool) };
}

test("the definitions of all built-in groups are shown by default", () => {
  const executor = createToolExecutor({ groups: [...builtIn.map(complete), search] });
  const { deferred, definitions } = executor.offer({ deferral });
  assert.equal(deferred, undefined);
  assert.ok(definitions.length > 55);
});

test("a prompt with 1,000 tools has at most 1,500 tokens of definitions, index and rules", async () => {
  const connected = Array.from({ length: 40 }, (_, n): ToolGroup => ({
    name: `service-${n}`,
    title: `Service ${n}`,
    description: `Operations of the service number ${n}, which manages orders, customers and their deliveries.`,
    tools: Array.from({ length: 25 }, (_each, t) =>
      defineTool({
        name: `operation_${n}_${t}`,
        description: "Changes the delivery of an order, and tells the customer about the new date.",
        parameters: {
          type: "object",
          properties: {
            order: { type: "string", description: "The number of the order." },
            date: { type: "string", description: "The new date, as YYYY-MM-DD." },
          },
          required: ["order"],
        },
      }),
    ),
  }));
  const executor = createToolExecutor({ groups: [...builtIn, ...connected, search] });
  const offered = { deferral };
  const { definitions, deferred } = executor.offer(offered);
  assert.ok((deferred?.size ?? 0) >= 1_000);
  const countTokens = await loadTokenizer();
  const tokens =
    countTokens(JSON.stringify(definitions)) + countTokens(executor.toolRules(offered));
  assert.ok(tokens <= 1_500, `${tokens} tokens`);
});
