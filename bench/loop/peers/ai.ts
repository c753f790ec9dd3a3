import { generateText, isStepCount, tool, type LanguageModel } from "ai";
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

type ModelObject = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Generated = Awaited<ReturnType<ModelObject["doGenerate"]>>;

export const prepare: LoopSubject = (script) => {
  let executed = 0;
  const model = scriptedModel(script);
  const noop = tool({
    description: toolDescription,
    inputSchema: z.object({ value: z.number() }),
    execute: () => {
      executed += 1;
      return "ok";
    },
  });
  return async () => {
    const result = await generateText({
      model,
      tools: { [toolName]: noop },
      stopWhen: isStepCount(script.rounds + 1),
      prompt,
    });
    return { executed, answer: result.text };
  };
};

function scriptedModel(script: LoopScript): ModelObject {
  let round = 0;
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => (round < script.rounds ? toolCalls(round++, script) : finalText()),
    doStream: () => Promise.reject(new Error("This bench does not stream.")),
  };
}

function toolCalls(round: number, script: LoopScript): Generated {
  return {
    content: callIds(round, script).map((toolCallId) => ({
      type: "tool-call",
      toolCallId,
      toolName,
      input: toolArguments,
    })),
    finishReason: { unified: "tool-calls", raw: undefined },
    usage: usage(),
    warnings: [],
  };
}

function finalText(): Generated {
  return {
    content: [{ type: "text", text: answer }],
    finishReason: { unified: "stop", raw: undefined },
    usage: usage(),
    warnings: [],
  };
}

function usage(): Generated["usage"] {
  return {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
}
