import assert from "node:assert/strict";
import { test } from "node:test";
import { runToolChain } from "../../chain/run-tool-chain.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { MemoryLedger } from "../record/ledger.ts";

/** Each word is a token. */
const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;

const words = defineTool({
  ...reads,
  name: "Words",
  description: "one two three",
  parameters: {
    type: "object",
    properties: { count: { type: "integer" }, note: { type: "string" } },
  },
  execute: ({ count }) => "word ".repeat(count as number),
});

// Contract: executor-49
test("a call's tokens include its definition, its arguments, and the shown and the withheld text of its result", async () => {
  const ledger = new MemoryLedger();
  const executor = executorWith([words], { countTokens: countWords, ledger });
  const short = await executor.execute("Words", '{"count": 3}', { callId: "short" });
  assert.ok(short.status === "success");
  const { definition } = short.tokens;
  assert.deepEqual(short.tokens, { definition, arguments: 2, shown: 3, withheld: 0 });
  // The definition that the model is offered, with the executor's own `limit`.
  const [offered] = executor.getEnabledToolDefinitions();
  assert.equal(definition, countWords(JSON.stringify(offered?.function)));

  const long = await executor.execute("Words", { count: 5_000, note: "a b" });
  assert.ok(long.status === "success");
  assert.equal(long.tokens.shown, countWords(long.finalText));
  assert.equal(long.tokens.shown + long.tokens.withheld, 5_000);
  assert.deepEqual(ledger.get("short")?.result?.tokens, short.tokens);
});

test("a call that never ran has token counts too", async () => {
  const executor = executorWith([words], { countTokens: countWords });
  const unknown = await executor.execute("Wrods", '{"a": 1}');
  assert.ok(unknown.status === "not_found");
  const { definition, arguments: args, shown } = unknown.tokens;
  assert.deepEqual({ definition, args }, { definition: 0, args: 2 });
  assert.equal(shown, countWords(unknown.finalText));
});

// Contract: executor-130
test("a turn's tokens are the sum of its calls' tokens, with each definition once", async () => {
  const run = (countTokens?: (text: string) => number) =>
    runToolChain({
      executor: executorWith([words], countTokens === undefined ? {} : { countTokens }),
      model: new ScriptedModel([
        {
          calls: [
            { name: "Words", args: '{"count": 3}' },
            { name: "Words", args: '{"count": 4}' },
          ],
        },
        "Done.",
      ]),
      contextMessages: [],
    }).result;
  const { stats, state } = await run(countWords);
  const definition = state.calls[0]?.result?.tokens.definition ?? 0;
  assert.ok(definition > 2);
  const { tokensDefinitions, tokensArguments, tokensShown, tokensWithheld } = stats;
  assert.deepEqual(
    [tokensDefinitions, tokensArguments, tokensShown, tokensWithheld],
    [definition, 4, 7, 0],
  );
  assert.equal("tokensEstimated" in stats, false);
  // Without a counter, the counts are estimates and are marked as estimated.
  assert.equal((await run()).stats.tokensEstimated, true);
});
