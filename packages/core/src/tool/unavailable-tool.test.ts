import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { reads } from "../testing/executor-with.ts";
import { defineTool, withNeed } from "./define-tool.ts";

function executorWith(fix?: string): ToolExecutor {
  const executor = new ToolExecutor();
  const [tool] = withNeed({ needs: "a key for Tavily", ...(fix !== undefined && { fix }) }, [
    defineTool({ ...reads, name: "Search", execute: () => assert.fail("It ran.") }),
  ]);
  assert.ok(tool);
  const other = defineTool({ ...reads, name: "Fetch", execute: () => "page" });
  executor.registerToolGroup({ name: "web", rulePrompt: "Search first.", tools: [tool, other] });
  executor.toggleGroupEnabled("web", true);
  executor.setToolEnabled("web.Search", true);
  return executor;
}

test("a tool that lacks what it needs is listed with its group, and not offered", () => {
  const executor = executorWith();
  assert.deepEqual({ ...executor.offer().names }, { Fetch: "web.Fetch" });
  assert.doesNotMatch(executor.toolRules(), /Tools:.*Search/);
});

test("a call of it does not run, and its error names the need and the fix", async () => {
  for (const name of ["Search", "web.Search"]) {
    const result = await executorWith("Set TAVILY_API_KEY.").execute(name, {});
    assert.deepEqual(
      [result.status, result.status === "not_found" && result.error],
      [
        "not_found",
        {
          code: "tool_unavailable",
          message:
            'The tool "Search" cannot run here: it needs a key for Tavily. Do without it, or ask the user to provide that (Set TAVILY_API_KEY.).',
        },
      ],
    );
  }
});

test("without a need, tools stay as they are", () => {
  const tools = [defineTool({ ...reads, name: "Fetch", execute: () => "page" })];
  assert.equal(withNeed(undefined, tools), tools);
});
