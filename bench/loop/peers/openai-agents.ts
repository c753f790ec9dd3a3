import { Agent, Runner, tool, Usage, type Model, type ModelResponse } from "@openai/agents-core";
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
} from "../subject.ts";

export const prepare: LoopSubject = (script) => {
  let executed = 0;
  const agent = new Agent({
    name: "bench",
    model: scriptedModel(script),
    tools: [
      tool({
        name: toolName,
        description: toolDescription,
        parameters: z.object({ value: z.number() }),
        execute: () => {
          executed += 1;
          return "ok";
        },
      }),
    ],
  });
  // Tracing sends data to a service. The other libraries do not trace by default.
  const runner = new Runner({ tracingDisabled: true });
  return async () => {
    const result = await runner.run(agent, prompt, { maxTurns: script.rounds + 1 });
    return { executed, answer: result.finalOutput ?? "" };
  };
};

function scriptedModel(script: LoopScript): Model {
  let round = 0;
  return {
    getResponse: async () => (round < script.rounds ? toolCalls(round++, script) : finalText()),
    getStreamedResponse: () => {
      throw new Error("This bench does not stream.");
    },
  };
}

function toolCalls(round: number, script: LoopScript): ModelResponse {
  return {
    usage: usage(),
    output: callIds(round, script).map((callId) => ({
      type: "function_call",
      callId,
      name: toolName,
      status: "completed",
      arguments: toolArguments,
    })),
  };
}

function finalText(): ModelResponse {
  return {
    usage: usage(),
    output: [
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: answer }],
      },
    ],
  };
}

function usage(): Usage {
  return new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 });
}
