import {
  defineTool,
  defineToolGroup,
  runToolChain,
  ToolExecutor,
  type Model,
  type ModelEvent,
} from "@capstan/core";
import { z } from "zod";
import {
  answer,
  callIds,
  prompt,
  toolArguments,
  toolDescription,
  toolName,
  type LoopScript,
  type LoopSubject,
} from "./subject.ts";

export const prepare: LoopSubject = (script) => {
  let executed = 0;
  const noop = defineTool({
    name: toolName,
    description: toolDescription,
    parameters: z.object({ value: z.number() }),
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: () => {
      executed += 1;
      return "ok";
    },
  });
  const executor = new ToolExecutor();
  executor.registerToolGroup(defineToolGroup({ name: "bench", tools: [noop] }));
  executor.toggleGroupEnabled("bench", true);
  const model = scriptedModel(script);
  return async () => {
    const chain = runToolChain({
      executor,
      model,
      contextMessages: [{ role: "user", content: prompt }],
      maxRounds: script.rounds + 1,
      maxCallsPerRound: script.calls,
    });
    const result = await chain.result;
    return { executed, answer: result.answer };
  };
};

function scriptedModel(script: LoopScript): Model {
  let round = 0;
  return {
    id: "bench/scripted",
    stream: () => (round < script.rounds ? toolCalls(round++, script) : finalText()),
  };
}

const usage = { inputTokens: 1, outputTokens: 1 };

async function* toolCalls(round: number, script: LoopScript): AsyncGenerator<ModelEvent> {
  for (const id of callIds(round, script)) {
    yield { type: "tool-call-start", id, name: toolName };
    yield { type: "tool-call-delta", id, delta: toolArguments };
    yield { type: "tool-call-end", id, name: toolName, arguments: toolArguments };
  }
  yield { type: "finish", reason: "tool_calls", usage };
}

async function* finalText(): AsyncGenerator<ModelEvent> {
  yield { type: "text-delta", text: answer };
  yield { type: "finish", reason: "stop", usage };
}
