import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { owner } from "@capstan/store/testing";
import { createRuns, executorsOf, runIn, tool } from "../../testing/run-fixtures.ts";
import { createProgramCalls } from "./program-calls.ts";
import { createProgramConversations } from "./program-conversation.ts";
import { systemClock } from "@capstan/core/host";

test("a call over MCP cannot reach tools that no user approved", async () => {
  const drafts: unknown[] = [];
  const tools = [tool("Look", () => "seen")];
  const create = executorsOf(tools);
  const runs = createRuns({
    model: new ScriptedModel([]),
    tools,
    createExecutor(options) {
      // Variables of a conversation are read without a principal.
      if (options.principal !== undefined) drafts.push(options.drafts);
      return create(options);
    },
  });
  const conversations = createProgramConversations(runs);
  const parts = { runs, conversations, graceMs: 0, clock: systemClock, log: () => {} };
  const calls = createProgramCalls(parts);
  const call = { owner, toolId: "g.Look", args: {}, readOnly: true };
  const { run } = await calls.start(call);
  await runIn(runs.store, run.id, "completed");
  assert.deepEqual(drafts, [false]);
});
