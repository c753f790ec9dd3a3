import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { CommitOutcome } from "./journal/journal.ts";
import { runToolChain } from "./run-tool-chain.ts";

/**
 * Runs one call with a journal that stores nothing until the call was offered some time to run.
 *
 * @returns whether the start of the call was stored when its tool ran
 */
async function isStartStored(
  tool: { readonly effects?: "read"; readonly idempotent?: boolean },
  startsReadsEarly: boolean,
): Promise<boolean> {
  let isStored = false;
  let wasStored = false;
  const called = defineTool({
    name: "Called",
    description: "",
    ...tool,
    permission: { executionPolicy: "auto" },
    execute: () => void (wasStored = isStored),
  });
  const journal = {
    async commit(): Promise<CommitOutcome> {
      for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next));
      isStored = true;
      return { status: "committed" };
    },
  };
  const model = new ScriptedModel([{ calls: [{ name: "Called" }] }, "Done."]);
  const options = { executor: executorWith([called]), model, contextMessages: [], journal };
  const { status } = await runToolChain({ ...options, startsReadsEarly }).result;
  assert.equal(status, "completed");
  return wasStored;
}

// Contract: loop-108
test("only a tool that only reads may run before the start of its call is stored, if the host wants it", async () => {
  assert.equal(await isStartStored({ effects: "read" }, true), false);
  assert.equal(await isStartStored({ effects: "read" }, false), true);
  assert.equal(await isStartStored({}, true), true);
  assert.equal(await isStartStored({ idempotent: true }, true), true);
  assert.equal(await isStartStored({ effects: "read", idempotent: false }, true), true);
});
