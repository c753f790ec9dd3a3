import type { ToolGroup } from "@capstan/core";
import { didYouMean } from "../command-line/did-you-mean.ts";
import type { Configuration } from "./configuration.ts";

/** Warnings for switches and rules of groups and tools that do not exist: they change nothing. */
export function checkSwitches(
  configuration: Pick<Configuration, "groups" | "tools" | "rules">,
  groups: readonly ToolGroup[],
): readonly string[] {
  const groupNames = groups.map((group) => group.name);
  const toolIds = groups.flatMap((group) =>
    group.tools.map((tool) => `${group.name}.${tool.definition.function.name}`),
  );
  const patterns = ["*", ...groupNames.map((name) => `${name}.*`), ...toolIds];
  return [
    ...unknown("groups", "group", Object.keys(configuration.groups), groupNames),
    ...unknown("tools", "tool", Object.keys(configuration.tools), toolIds),
    ...configuration.rules.flatMap((rule, index) =>
      unknown(`rules[${index}].tool`, "tool or group", [rule.tool], patterns),
    ),
  ];
}

function unknown(
  key: string,
  what: string,
  names: readonly string[],
  known: readonly string[],
): readonly string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `${key}: there is no ${what} "${name}".${didYouMean(name, known)}`);
}
