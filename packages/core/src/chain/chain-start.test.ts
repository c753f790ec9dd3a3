import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { executorWith } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { CommitOutcome, Journal } from "./journal/journal.ts";
import { resumeToolChain, runToolChain } from "./run-tool-chain.ts";
import type { ChainResume, ToolChainOptions } from "./options/tool-chain-options.ts";

/** A chain whose journal commits when the test tells it to. */
function begun(options: { readonly batches: boolean; readonly resume?: ChainResume }) {
  const held = Promise.withResolvers<CommitOutcome>();
  const published: string[] = [];
  let ran = 0;
  const journal: Journal = {
    commit: () => held.promise,
    ...(options.batches && { beforeNext: (commit) => setImmediate(commit) }),
  };
  const act = defineTool({
    name: "Act",
    description: "",
    permission: { executionPolicy: "auto" },
    execute: () => ++ran,
  });
  const model = new ScriptedModel([{ calls: [{ name: "Act" }] }, "Done."]);
  const { resume } = options;
  const executor = executorWith([act]);
  const chain: Omit<ToolChainOptions, "executor"> = {
    model,
    contextMessages: [{ role: "user", content: "Act." }],
    journal,
    onEvent: ({ type }) => published.push(type),
  };
  const run =
    resume === undefined
      ? runToolChain({ ...chain, executor })
      : resumeToolChain(executor, resume.state, { ...chain, waited: resume.waited === true });
  return { run, model, published, ran: () => ran, answer: held.resolve };
}

/** Waits until the model is called, and then for all other work that is not blocked. */
async function asked(model: ScriptedModel) {
  while (model.requests.length === 0) await turnOfTheLoop();
  await severalTurns();
}

async function severalTurns() {
  for (let n = 0; n < 5; n++) await turnOfTheLoop();
}

const state: ChainResume["state"] = {
  round: 0,
  messages: [],
  calls: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  startTime: 0,
  elapsed: 0,
  usageByRound: [],
};

/** A journal that batches writes, and a journal that gets each write. */
const kinds = [{ batches: true }, { batches: false }];

// Contract: loop-60
test("a chain calls its model before its start is committed, but runs no tool", async () => {
  for (const kind of kinds) {
    const { run, model, published, ran, answer } = begun(kind);
    await asked(model);
    assert.deepEqual([model.requests.length, ran(), published], [1, 0, []]);
    answer({ status: "committed" });
    assert.equal((await run.result).status, "completed");
    assert.deepEqual(
      [ran(), published.at(0), published.at(-1)],
      [1, "chain.started", "chain.ended"],
    );
  }
});

// Contract: loop-60
test("a fenced chain runs no tool and publishes nothing", async () => {
  for (const kind of kinds) {
    const { run, published, ran, answer } = begun(kind);
    await severalTurns();
    answer({ status: "fenced", reason: "another node" });
    assert.equal((await run.result).error?.code, "fenced");
    assert.deepEqual([ran(), published], [0, []]);
  }
});

// Contract: loop-60
test("a suspended chain resumes immediately; an interrupted chain first commits that it resumes", async () => {
  for (const kind of kinds) {
    for (const waited of [true, false]) {
      const { run, model, ran, answer } = begun({ ...kind, resume: { state, waited } });
      await (waited ? asked(model) : severalTurns());
      assert.deepEqual([model.requests.length, ran()], [waited ? 1 : 0, 0]);
      answer({ status: "committed" });
      assert.equal((await run.result).status, "completed");
      assert.deepEqual([model.requests.length, ran()], [2, 1]);
    }
  }
});
