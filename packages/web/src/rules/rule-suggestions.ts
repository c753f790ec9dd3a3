import type { ToolGroupView } from "@capstan/contract";
import { rulesTexts } from "../texts/rules.ts";

/** A pattern that a rule can cover, and its description. */
export interface RuleSubject {
  readonly pattern: string;
  readonly says: string;
}

/** All tools, then each group and its tools. */
export function ruleSubjects(groups: readonly ToolGroupView[]): readonly RuleSubject[] {
  return [
    { pattern: "*", says: rulesTexts.everyTool },
    ...groups.flatMap(({ name, title, tools }) => [
      { pattern: `${name}.*`, says: rulesTexts.allOf(title) },
      ...tools.map((tool) => ({ pattern: tool.id, says: tool.description })),
    ]),
  ];
}

/** Returns the arguments of the tools that a pattern covers, with their type if all of the tools agree. */
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
