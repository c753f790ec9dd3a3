import type { LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ToolDefinition } from "@capstan/core";
import { promptName } from "./prompt-calls.ts";
import type { Dialect } from "./dialect.ts";
import type { Provider } from "./provider.ts";

/** Names of OpenAI's models that write the text of a custom tool: GPT-5 and later. */
const knowingModels = /^(?:ft:)?(?:gpt-(?:[5-9]|[1-9]\d)|codex)/;

/**
 * Returns the names of the tools whose text the model writes itself, as the model knows them. Other
 * models write the text as an argument of a function.
 */
export function customNames(
  tools: readonly ToolDefinition[],
  { wire, modelName }: Pick<Provider, "wire"> & { readonly modelName: string },
  dialect: Pick<Dialect, "namesBeginWithLetter">,
): ReadonlySet<string> {
  if (wire !== "openai-responses" || !knowingModels.test(modelName)) return new Set();
  const custom = tools.filter((tool) => tool.custom !== undefined);
  return new Set(custom.map((tool) => promptName(tool.function.name, dialect)));
}

/** Returns a custom tool as OpenAI's Responses API knows it. */
export function customTool(
  name: string,
  { description, grammar }: NonNullable<ToolDefinition["custom"]>,
): LanguageModelV4ProviderTool {
  const format = grammar === undefined ? { type: "text" } : { type: "grammar", ...grammar };
  return {
    type: "provider",
    id: "openai.custom",
    name,
    args: { ...(description !== undefined && description !== "" && { description }), format },
  };
}
