import type { ToolGroupView } from "@capstan/contract";

/** What a rule may be about, and what that is in words. */
export interface RuleSubject {
  readonly pattern: string;
  readonly says: string;
}

/** All tools, then each group and its tools. */
export function ruleSubjects(groups: readonly ToolGroupView[]): readonly RuleSubject[] {
  return [
    { pattern: "*", says: "every tool" },
    ...groups.flatMap(({ name, title, tools }) => [
      { pattern: `${name}.*`, says: `all of ${title}` },
      ...tools.map((tool) => ({ pattern: tool.id, says: tool.description })),
    ]),
  ];
}

/** The arguments of what a rule is about, with their type where all of its tools agree. */
export function ruleArguments(
  groups: readonly ToolGroupView[],
  pattern: string,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { name, tools } of groups)
    for (const { id, parameters } of tools) {
      if (pattern !== "*" && pattern !== `${name}.*` && pattern !== id) continue;
      for (const [argument, type] of typesIn(parameters))
        found.set(argument, found.has(argument) && found.get(argument) !== type ? undefined : type);
    }
  return found;
}

function typesIn(parameters: unknown): readonly (readonly [string, unknown])[] {
  if (!isObject(parameters) || !isObject(parameters["properties"])) return [];
  return Object.entries(parameters["properties"]).map(([name, schema]) => [
    name,
    isObject(schema) ? schema["type"] : undefined,
  ]);
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
