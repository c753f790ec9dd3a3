import type { ToolFilter } from "@capstan/store";

/**
 * The names of the tools that a filter means.
 *
 * @param tools the group's tools: bare names, and whether they only read
 */
export function filteredTools(
  { toolNames, readOnly }: ToolFilter,
  tools: readonly { readonly name: string; readonly readOnly: boolean }[],
): readonly string[] {
  return tools
    .filter(({ name }) => toolNames === undefined || toolNames.includes(name))
    .filter((tool) => readOnly === undefined || tool.readOnly === readOnly)
    .map(({ name }) => name);
}
