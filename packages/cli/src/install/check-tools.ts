import { CapstanError, type Tool, type ToolGroup } from "@capstan/core";
import { hostedToolProblem, settingsProblem } from "@capstan/core/host";
import { displayPath, type FileProblem } from "@capstan/scripts";
import { didYouMean } from "../arguments/parse-options.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { printableLine } from "../terminal/printable.ts";
import { createToolExecutor } from "./create-tool-executor.ts";

/** Returns warnings for tools whose schema cannot be used or is only partly enforced. */
export function checkSchemas(groups: readonly ToolGroup[]): readonly string[] {
  return createToolExecutor({ groups })
    .schemaProblems()
    .map(({ toolId, status, message }) =>
      status === "refused"
        ? `The tool ${toolId} is omitted, because its schema cannot be used: ${message}`
        : `The schema of ${toolId} is only partly enforced: ${message}`,
    );
}

/**
 * Returns warnings for switches and rules of groups and tools that do not exist. They have no
 * effect.
 */
export function checkSwitches(
  configuration: Pick<Configuration, "groups" | "tools" | "rules" | "agents" | "places">,
  groups: readonly ToolGroup[],
): readonly string[] {
  const groupNames = groups.map((group) => group.name);
  const toolIds = groups.flatMap((group) =>
    group.tools.map((tool) => `${group.name}.${tool.definition.function.name}`),
  );
  const patterns = ["*", ...groupNames.map((name) => `${name}.*`), ...toolIds];
  const unknown = ({ key, at = key, what, name, known }: Named): readonly string[] => {
    if (known.includes(name)) return [];
    const place = configuration.places[at];
    const hint = didYouMean(name, known) || toolsOf(name, groups) || listed(groupNames);
    return [
      `${place === undefined ? "" : `${place}: `}${key}: there is no ${what} "${name}".${hint}`,
    ];
  };
  return [
    ...Object.keys(configuration.groups).flatMap((name) =>
      unknown({ key: "groups", at: `groups.${name}`, what: "group", name, known: groupNames }),
    ),
    ...Object.keys(configuration.tools).flatMap((name) =>
      unknown({ key: "tools", at: `tools.${name}`, what: "tool", name, known: toolIds }),
    ),
    ...Object.entries(configuration.agents).flatMap(([agent, { groups: offered = [] }]) =>
      offered.flatMap(({ group: name }, index) =>
        unknown({
          key: `agents.${agent}.groups[${index}]`,
          what: "group",
          name,
          known: groupNames,
        }),
      ),
    ),
    ...configuration.rules.flatMap(({ tool: name }, index) =>
      unknown({ key: `rules[${index}].tool`, what: "tool or group", name, known: patterns }),
    ),
  ];
}

/**
 * Returns warnings for tools that settings bind or change, and that do not exist or cannot have the
 * setting. They have no effect.
 */
export function checkBoundTools(
  { toolSettings, attachmentTools }: Pick<Configuration, "toolSettings" | "attachmentTools">,
  groups: readonly ToolGroup[],
): readonly string[] {
  const tools = toolsById(groups);
  const named = [
    ...Object.keys(toolSettings).map((id) => [`toolSettings.${id}`, id] as const),
    ...Object.entries(attachmentTools).flatMap(([kind, ids]) =>
      ids.map((id) => [`attachmentTools.${kind}`, id] as const),
    ),
  ];
  return [
    ...named.flatMap(([key, id]) =>
      tools.has(id)
        ? []
        : [
            `${key}: there is no tool "${id}".${didYouMean(id, [...tools.keys()])} The setting has no effect.`,
          ],
    ),
    ...Object.entries(toolSettings).flatMap(([id, settings]) => {
      const tool = tools.get(id);
      const problem = tool && settingsProblem(tool, settings);
      return problem === undefined ? [] : [`toolSettings.${id} has no effect: ${problem}.`];
    }),
  ];
}

/**
 * Checks the tools that `hostedTools` binds to types such as `web_search`: requests that declare the
 * type rely on them.
 *
 * @throws CapstanError `invalid_configuration` if a tool does not exist, or does not fit its type
 */
export function requireHostedTools(
  { hostedTools, places }: Pick<Configuration, "hostedTools" | "places">,
  groups: readonly ToolGroup[],
): void {
  const tools = toolsById(groups);
  const problems = Object.entries(hostedTools).flatMap(([type, id]) => {
    const key = `hostedTools.${type}`;
    const place = places[key];
    const where = `${place === undefined ? "" : `${place}: `}${key}`;
    const tool = tools.get(id);
    if (tool === undefined) {
      const hint = didYouMean(id, [...tools.keys()]) || absentGroup(id, groups);
      return [`${where}: there is no tool "${id}".${hint}`];
    }
    const problem = missingNeed(tool) ?? hostedToolProblem(type, tool);
    return problem === undefined
      ? []
      : [
          `${where}: the tool "${id}" cannot run '${type}', because ${problem}.${tool.unavailable === undefined ? " Bind a tool of the server with such an argument." : " Provide that, or remove the setting."}`,
        ];
  });
  if (problems.length > 0)
    throw new CapstanError({ code: "invalid_configuration", message: problems.join("\n") });
}

function missingNeed({ unavailable }: Tool): string | undefined {
  if (unavailable === undefined) return undefined;
  const { needs, fix } = unavailable;
  return `it needs ${needs}${fix === undefined ? "" : ` (${fix})`}`;
}

function absentGroup(id: string, groups: readonly ToolGroup[]): string {
  const name = id.split(".", 1)[0] ?? "";
  if (groups.some((group) => group.name === name)) return toolsOf(id, groups);
  return ` The group "${name}" does not exist, or is off: switch it on with "groups": {"${name}": true}.`;
}

function toolsById(groups: readonly ToolGroup[]): ReadonlyMap<string, Tool> {
  return new Map(
    groups.flatMap((group) =>
      group.tools.map((tool) => [`${group.name}.${tool.definition.function.name}`, tool] as const),
    ),
  );
}

/** A name in the settings, and the existing names of its kind. */
interface Named {
  readonly key: string;
  /** The key under which its position is stored. @default key */
  readonly at?: string;
  readonly what: string;
  readonly name: string;
  readonly known: readonly string[];
}

/** Returns the group's tools if no name is similar and the group exists. */
function toolsOf(name: string, groups: readonly ToolGroup[]): string {
  const group = groups.find((one) => name.startsWith(`${one.name}.`));
  if (group === undefined) return "";
  const names = group.tools.map(({ definition }) => definition.function.name);
  return ` ${group.name} has ${names.slice(0, 20).join(", ")}.`;
}

function listed(groupNames: readonly string[]): string {
  return groupNames.length === 0 ? "" : ` There are the groups ${groupNames.join(", ")}.`;
}

/**
 * Formats problems in the form of compilers, `file:line:column: error: message`, so that editors
 * can jump to them.
 *
 * @param directory the folder that paths are relative to, if they are inside it
 */
export function problemLines(
  problems: readonly FileProblem[],
  directory: string,
): readonly string[] {
  return problems.map(({ path, line, column, severity, message }) => {
    const place = [displayPath(path, directory), line, line === undefined ? undefined : column];
    const where = place.filter((part) => part !== undefined).join(":");
    // Names and texts of a script must not control the terminal.
    return printableLine(`${where}: ${severity}: ${message}`);
  });
}
