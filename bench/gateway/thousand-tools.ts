import { defineTool, type JsonObject, type ToolGroup } from "@capstan/core";
import { loadCorpus } from "../search/corpus.ts";

/** A group of 1,000 tools: those of the bench `search`, repeated under other names. */
export async function thousandTools(): Promise<ToolGroup> {
  const corpus = await loadCorpus();
  const tools = Array.from({ length: 1_000 }, (_, n) => {
    const { definition } = corpus[n % corpus.length] as (typeof corpus)[number];
    const { name, description = "", parameters } = definition.function;
    return defineTool({
      name: `${name.slice(0, 40)}_${n}`,
      description,
      ...(parameters !== undefined && { parameters: parameters as JsonObject }),
      effects: "read",
      execute: () => null,
    });
  });
  return { name: "thousand", title: "Thousand", description: "A thousand tools.", tools };
}
