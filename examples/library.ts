// Capstan as a library: a tool, the gate, the loop. Run it: npm run example -- examples/library.ts
import { defineTool, runToolChain, ToolExecutor } from "@capstan/core";
import { createOfflineModel } from "@capstan/models";
import { z } from "zod";

const weather = defineTool({
  name: "Weather",
  description: "Returns the weather in a town.",
  parameters: z.object({ town: z.string() }),
  effects: "read",
  // This tool requires approval the first time. Without an approval adapter, the executor would reject the call.
  permission: { executionPolicy: "ask-once" },
  execute: ({ town }) => ({ town, sky: "clear", celsius: 21 }),
});

const executor = new ToolExecutor({
  approvals: {
    request: ({ toolName, args }) => {
      console.log(`May ${toolName} run with ${JSON.stringify(args)}? Yes, once.`);
      return { decision: "allow" };
    },
  },
});
executor.registerToolGroup({ name: "town", tools: [weather] });
executor.toggleGroupEnabled("town", true);

const run = runToolChain({
  executor,
  model: createOfflineModel(),
  systemPrompt: () => executor.toolRules(),
  contextMessages: [],
  inputMessages: [{ role: "user", content: '/Weather {"town":"Bergen"}' }],
});
for await (const event of run.events()) {
  if (event.type === "call.settled")
    console.log(`${event.status} in ${event.result.durationMs} ms`);
}
const result = await run.result;
console.log(result.answer);
console.log("Stored as:", result.toolCallHistory[0]?.result?.cacheVarResult);
