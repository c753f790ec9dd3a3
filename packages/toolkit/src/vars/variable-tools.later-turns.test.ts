import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defineTool,
  historyMessages,
  runToolChain,
  type StoredTurn,
  ToolExecutor,
  VariableSystem,
} from "@capstan/core";
import { type ScriptedStep, ScriptedModel } from "@capstan/core/testing";
import { variableTools } from "./variable-tools.ts";

/** A long text with all characters that processing can easily lose. */
const page = Array.from(
  { length: 900 },
  (_, n) => `${n}\t"quoted" \\n é 漢 😀 $VAR_REF{{Page_1}} {{x}} 50% <b>&amp;</b>\r\n`,
).join("");
const reads = {
  description: "",
  effects: "read",
  permission: { executionPolicy: "auto" },
} as const;

/** A session that continues each turn from its stored state, as after a restart. */
function session() {
  const sent: string[] = [];
  const turns: StoredTurn[] = [];
  let kept: ReturnType<VariableSystem["snapshot"]> = [];
  const tools = [
    defineTool({ ...reads, name: "Page", execute: () => page }),
    defineTool({
      ...reads,
      name: "Send",
      parameters: { type: "object", properties: { text: { type: "string" } } },
      execute: ({ text }) => (sent.push(text as string), "sent"),
    }),
  ];
  return {
    sent,
    turns,
    turn: async (script: readonly ScriptedStep[]) => {
      const variables = VariableSystem.restore(kept);
      const executor = new ToolExecutor({ variables });
      executor.registerToolGroup({ name: "test", tools });
      executor.registerToolGroup(variableTools());
      for (const { name } of executor.groups()) executor.toggleGroupEnabled(name, true);
      const model = new ScriptedModel(script);
      const { state } = await runToolChain({
        executor,
        model,
        contextMessages: historyMessages(turns),
        inputMessages: [{ role: "user", content: `Turn ${turns.length + 1}` }],
      }).result;
      model.assertDone();
      turns.push(JSON.parse(JSON.stringify(state)) as StoredTurn);
      kept = JSON.parse(JSON.stringify(variables.snapshot())) as typeof kept;
      return { state, model };
    },
  };
}

test("after ten turns ReadVar and references return a result unchanged", async () => {
  const { turn, sent, turns } = session();
  await turn([{ calls: [{ name: "Page" }] }, "I have it."]);
  for (let n = 0; n < 9; n++)
    await turn([{ calls: [{ name: "Send", args: { text: `${n}` } }] }, "Sent."]);
  sent.length = 0;

  const pages: ScriptedStep[] = [];
  for (let start = 0; start < page.length; start += 8_000)
    pages.push({ calls: [{ name: "ReadVar", args: { name: "Page_1", start } }] });
  const { state, model } = await turn([
    ...pages,
    { calls: [{ name: "Send", args: { text: "$VAR_REF{{Page_1}}" } }] },
    "All of it.",
  ]);
  // The log of the first turn contains the name.
  assert.match(JSON.stringify(model.requests[0]?.messages), /- Page ✓ → Page_1/);
  const shown = state.calls
    .filter(({ name }) => name === "ReadVar")
    .map(
      ({ result }) =>
        result?.finalText.replace(/\n\[Characters \d+ to \d+ of \d+\. .*\]$/s, "") ?? "",
    );
  assert.equal(shown.join(""), page);
  assert.deepEqual(sent, [page]);
  assert.equal(turns.length, 11);
});

test("after ten turns of long results, the next request contains only their logs", async () => {
  const { turn } = session();
  for (let n = 0; n < 10; n++) await turn([{ calls: [{ name: "Page" }] }, "I have it."]);
  const { model } = await turn(["Done."]);
  assert.ok(JSON.stringify(model.requests[0]?.messages).length < 6_000);
});
