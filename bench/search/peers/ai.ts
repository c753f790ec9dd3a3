import { generateText, isStepCount, jsonSchema, tool, toolSearch, type LanguageModel } from "ai";
import type { SearchableTool } from "@capstan/core/search";

type ModelObject = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Generated = Awaited<ReturnType<ModelObject["doGenerate"]>>;

/** Creates a function that searches as a model does that calls the library's search tool. */
export function aiSearch(
  tools: readonly SearchableTool[],
): (query: string) => Promise<readonly string[]> {
  const ids = new Map<string, string>();
  const deferred = Object.fromEntries(
    tools.map(({ id, definition: { function: spec } }) => {
      const name = ids.has(spec.name) ? id.replace(".", "_") : spec.name;
      ids.set(name, id);
      const made = tool({
        description: spec.description ?? "",
        inputSchema: jsonSchema(spec.parameters ?? { type: "object" }),
        deferLoading: true,
      });
      return [name, made];
    }),
  );
  return async (query) => {
    const { toolResults } = await generateText({
      model: searchingModel(query),
      prompt: query,
      tools: { ...deferred, search: toolSearch() },
      stopWhen: isStepCount(1),
    });
    const { tools: found = [] } = (toolResults[0]?.output ?? {}) as {
      readonly tools?: readonly { readonly name: string }[];
    };
    return found.map(({ name }) => ids.get(name) ?? name);
  };
}

function searchingModel(query: string): ModelObject {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "searching",
    supportedUrls: {},
    doGenerate: async (): Promise<Generated> => ({
      content: [
        {
          type: "tool-call",
          toolCallId: "call_1",
          toolName: "search",
          input: JSON.stringify({ query }),
        },
      ],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error("not used")),
  };
}
