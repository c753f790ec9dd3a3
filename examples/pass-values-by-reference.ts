// Values that a model passes by reference, in the order of docs/guides/pass-values-by-reference.md.
// Run it: npm run example -- examples/pass-values-by-reference.ts
import {
  defineTool,
  defineToolGroup,
  runToolChain,
  ToolExecutor,
  type Variable,
  VariableSystem,
} from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { variableTools } from "@capstan/toolkit";
import { z } from "zod";

const auto = { effects: "read", permission: { executionPolicy: "auto" } } as const;

const readLog = defineTool({
  ...auto,
  name: "ReadLog",
  description: "Reads the first days of the ship's log.",
  parameters: z.object({ days: z.number().int() }),
  formatForLLM: ({ entries }: { readonly entries: readonly string[] }) => entries.join("\n"),
  execute: ({ days }) => ({
    entries: Array.from({ length: days }, (_, day) => `day ${day + 1}: wind from the west ⛵`),
  }),
});

const countWords = defineTool({
  ...auto,
  name: "CountWords",
  description: "Counts the words of a text.",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => text.split(/\s+/).length,
});

const lastOf = defineTool({
  ...auto,
  name: "LastOf",
  description: "Returns the last item of a list.",
  parameters: z.object({ list: z.array(z.string()) }),
  execute: ({ list }) => list.at(-1) ?? "",
});

const harbour = defineToolGroup({
  name: "harbour",
  title: "Harbour",
  tools: [readLog, countWords, lastOf],
  declareSkillRules: {
    log: {
      desc: "How the log is written",
      when: "Before you draw conclusions from the log",
      prompt: "Days begin at noon. The wind is named after the direction from which it blows.",
    },
  },
});

const executor = new ToolExecutor();
for (const group of [harbour, variableTools()]) {
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled(group.name, true);
}

async function call(name: string, args: string): Promise<void> {
  const result = await executor.execute(name, args);
  const text = "finalText" in result ? result.finalText : result.status;
  const lines = text.split("\n");
  const shown = lines.length > 4 ? [lines[0], "…", ...lines.slice(-2)] : lines;
  console.log(`${name}: ${shown.join(" | ")}`);
}

// A result has a name

await call("ReadLog", '{"days":1000}');
await call("CountWords", '{"text":"$VAR_REF{{ReadLog_1}}"}');

// A part of it

await call("CountWords", '{"text":"$VAR_REF{{ReadLog_1:0:33}}"}');
await call("CountWords", '{"text":"Noted: $VAR_REF{{ReadLog_1#/entries/0}}."}');

// With its type

await call("LastOf", '{"list":"$VAR_REF{{ReadLog_1#/entries}}"}');

// Not a reference

await call("CountWords", String.raw`{"text":"\\$VAR_REF{{ReadLog_1}} is reference syntax"}`);
await call("CountWords", '{"text":"$VAR_REF{{ReadLogs_1}}"}');

// Read the rest

await call("ReadVar", '{"name":"ReadLog_1","start":33,"length":34}');
await call("ReadVar", '{"name":"ReadLog_1#/entries/999"}');

// Your own variables

await call("WriteVar", '{"name":"draft","value":"Fair winds","tags":["letter"]}');
await call("ListVars", '{"filter":{"tag":"letter"}}');
await call("RemoveVars", '{"names":["draft"]}');

executor.variables.addVariable("cargo", "rope\ntar", "USER_ADD", "What we carry", ["letter"]);
executor.variables.updateVariable("cargo", { keep: true });
await call("CountWords", '{"text":"$VAR_REF{{cargo}}"}');

// Documents for the model

await call("ReadVar", '{"name":"Rule/harbour/log"}');
console.log(executor.toolRules().includes("| `Rule/harbour/log` |"));

// Pasted text

const model = new ScriptedModel([
  ({ messages }) => {
    const [, name = ""] = /\[Stored as (.+)\]$/.exec(messages.at(-1)?.content as string) ?? [];
    return { calls: [{ name: "CountWords", args: { text: `$VAR_REF{{${name}}}` } }] };
  },
  "Counted.",
]);
const pasted = "a line of an old letter\n".repeat(200);
const { toolCallHistory } = await runToolChain({
  executor,
  model,
  contextMessages: [],
  inputMessages: [{ role: "user", content: pasted }],
}).result;
console.log(`pasted: ${toolCallHistory[0]?.result?.finalText} words`);

// Storing and forking

const stored = JSON.stringify(executor.variables.snapshot());
const variables = JSON.parse(stored) as readonly Variable[];
const restored = VariableSystem.restore(variables, { capacity: 500 });
const fork = restored.fork();
fork.addVariable("only here", "x", "USER_ADD");
console.log(`restored: ${restored.getVariable("cargo")?.value.text.replace("\n", ", ")}`);
console.log(`in the fork only: ${restored.peekVariable("only here") === undefined}`);
