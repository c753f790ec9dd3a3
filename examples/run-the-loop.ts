// The loop: limits, an approval, resuming from plain JSON, the next turn, and a stop.
// npm run example -- examples/run-the-loop.ts                                     the offline model
// npm run example -- examples/run-the-loop.ts http://127.0.0.1:11434/v1 qwen3:8b  any OpenAI-compatible server
// CAPSTAN_MODEL_URL and CAPSTAN_MODEL set the same; CAPSTAN_MODEL_KEY is the server's key.
import {
  defineTool,
  historyMessages,
  MemoryJournal,
  resumeToolChain,
  runToolChain,
  ToolExecutor,
} from "@capstan/core";
import { createModelCatalog } from "@capstan/models";
import { z } from "zod";

const [url, modelName] = process.argv.slice(2);
const environment = {
  ...process.env,
  ...(url !== undefined && { CAPSTAN_MODEL_URL: url }),
  ...(modelName !== undefined && { CAPSTAN_MODEL: modelName }),
};
const catalog = createModelCatalog({ environment });
const model = await catalog.find(
  environment.CAPSTAN_MODEL_URL === undefined ? "capstan/offline" : catalog.default.id,
);
if (model === undefined) throw new Error("The model is not available.");
console.log(`Model: ${model.id}`);

// The offline model runs commands; other models get a question.
const question =
  model.id === "capstan/offline"
    ? '/Trains {"from":"Oslo","to":"Bergen"}\n/then\n/Book {"number":61}'
    : "Which trains go from Oslo to Bergen? Book me a seat on the first.";

let booked = 0;
const tools = [
  defineTool({
    name: "Trains",
    description: "Lists the trains from one town to another.",
    parameters: z.object({ from: z.string(), to: z.string() }),
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: ({ from, to }) => [
      { number: 61, from, to, leaves: "07:30" },
      { number: 63, from, to, leaves: "12:03" },
    ],
  }),
  defineTool({
    name: "Book",
    description: "Books a seat on a train.",
    parameters: z.object({ number: z.int() }),
    idempotent: true,
    permission: { executionPolicy: "ask-always" },
    execute: ({ number }) => ({ number, seat: `${++booked}A` }),
  }),
];

/** Creates the executor as each process would. The user answers approval requests later. */
function createExecutor(): ToolExecutor {
  const executor = new ToolExecutor({ approvals: { request: () => ({ decision: "pending" }) } });
  executor.registerToolGroup({ name: "travel", tools });
  executor.toggleGroupEnabled("travel", true);
  return executor;
}

const journal = new MemoryJournal();
const executor = createExecutor();
const options = {
  model,
  journal,
  runId: "run_example",
  maxRounds: 6,
  maxTokens: 100_000,
  maxDurationMs: 120_000,
  contextMessages: [],
} as const;

const first = await runToolChain({
  ...options,
  executor,
  inputMessages: [{ role: "user", content: question }],
  systemPrompt: () => executor.toolRules(),
  callbacks: {
    onToolCallStart: (name, args) => console.log(`calls ${name} ${JSON.stringify(args)}`),
    onToolCallComplete: ({ status, finalText }) =>
      console.log(`${status}: ${finalText.slice(0, 80)}`),
    onError: ({ message }, phase) => console.log(`${phase}: ${message}`),
  },
}).result;
console.log(`${first.status}, waiting for ${first.waiting.length}`);

// Resume as another process would: it has only the journal's data, as JSON.
const state = JSON.parse(JSON.stringify(journal.state())) as ReturnType<typeof journal.state>;
const answers = first.waiting.map(({ callId }) => ({
  callId,
  decision: { decision: "allow" } as const,
}));
const next = createExecutor();
next.variables.load(journal.variables());
const result = await resumeToolChain(next, state, {
  ...options,
  systemPrompt: () => next.toolRules(),
  answers,
}).result;
console.log(`${result.status} after ${result.stats.totalRounds} rounds`);
for (const { toolName, status, roundIndex, endTime, startTime } of result.toolCallHistory)
  console.log(`round ${roundIndex}: ${toolName} ${status} in ${endTime - startTime} ms`);
console.log(result.answer);

// The next turn includes the previous one. The user stops it before the model answers, then it is
// resumed.
const thanks = {
  model,
  systemPrompt: () => next.toolRules(),
  contextMessages: historyMessages([result.state]),
};
const run = runToolChain({
  ...thanks,
  executor: next,
  inputMessages: [{ role: "user", content: "Thank you." }],
});
run.abort("the user pressed stop");
const stopped = await run.result;
console.log(`${stopped.status}: ${stopped.error?.message}`);
const last = await resumeToolChain(next, stopped.state, thanks).result;
console.log(`${last.status}: ${last.answer.split("\n")[0]}`);
