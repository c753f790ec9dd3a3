import type { PolicyRule, Tool, ToolGroup } from "@capstan/core";
import {
  executionRule,
  oneLine,
  resultRule,
  type RuledCall,
  type ToolEffects,
} from "@capstan/core/host";
import { visibleText } from "@capstan/core/text";
import type { ToolGroupView, ToolView } from "@capstan/contract";
import { CommandFailure, type Invocation, printJson, printNotice } from "../arguments/command.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { checkSwitches } from "../install/check-tools.ts";
import { configuredGroups, isOnByDefault } from "../install/built-in-groups.ts";
import { configuredConnections } from "../install/configured-connections.ts";
import { openScripts } from "../install/open-scripts.ts";
import { type Style, styleFor } from "../terminal/style.ts";
import { readConfiguration } from "./shared/read-configuration.ts";
import { runningServerNotice } from "./shared/running-server-notice.ts";
import { argumentTexts } from "../texts/arguments.ts";
import { commandTexts } from "../texts/commands.ts";

const texts = commandTexts.tools;

/** Lists the tools of the configuration, or the tools for a task, without a server. */
export async function listTools({ values, positionals }: Invocation): Promise<number> {
  const [action, ...words] = positionals;
  const isSearch = action === "search" && words.length > 0;
  if (action === "search" && !isSearch) throw new CommandFailure(texts.searchUsage, 2);
  if (action !== undefined && !isSearch)
    throw new CommandFailure(argumentTexts.unexpectedOperand("tools", action), 2);
  const configuration = await readConfiguration(values);
  const shipped = await configuredGroups(configuration);
  const reserved = shipped.map(({ name }) => name);
  const scripts = await openScripts({ configuration, reserved, watch: false });
  const connections = await configuredConnections(configuration, { reserved, watch: false });
  const groups = [...shipped, ...scripts.library.offered.groups, ...connections.groups];
  await connections.close();
  await scripts.close();
  for (const warning of checkSwitches(configuration, groups)) printNotice(`warning: ${warning}`);
  const beside = await runningServerNotice(configuration.dataDir);
  if (beside !== undefined) printNotice(beside);
  const described = describeTools(groups, configuration);
  if (isSearch) return printFound(described, await findTools(groups, words.join(" ")), values);
  if (values["json"] === true) printJson(described);
  else process.stdout.write(renderTools(described, styleFor(process.stdout)));
  return 0;
}

/** The tools that a search lists. */
const maxFound = 10;

/** Returns the ids of the tools for a task, the best match first. */
export async function findTools(
  groups: readonly ToolGroup[],
  task: string,
): Promise<readonly string[]> {
  const { createToolIndex } = await import("@capstan/core/search");
  const tools = groups.flatMap((group) =>
    group.tools.map(({ definition }) => ({
      id: `${group.name}.${definition.function.name}`,
      definition,
      group,
    })),
  );
  return createToolIndex(tools)
    .search(task, { limit: maxFound })
    .map(({ id }) => id);
}

function printFound(
  groups: readonly DescribedGroup[],
  ids: readonly string[],
  values: Invocation["values"],
): number {
  const tools = groups.flatMap((group) => group.tools);
  const found = ids.flatMap((id) => tools.find((tool) => tool.id === id) ?? []);
  if (values["json"] === true) printJson(found);
  else process.stdout.write(renderFound(found));
  return found.length === 0 ? 1 : 0;
}

/** Formats the tools that a search found as text. */
export function renderFound(found: readonly DescribedTool[]): string {
  if (found.length === 0) return `${texts.noneFound}\n`;
  const width = Math.max(...found.map(({ id }) => id.length));
  const lines = found.map(
    ({ id, description }) => `${id.padEnd(width)}  ${visibleText(oneLine(description, 100))}`,
  );
  return `${lines.join("\n")}\n`;
}

/** A tool in the form of the API, with the policies and rules that decide about its calls. */
export interface DescribedTool extends ToolView {
  /** `never`, `on-error` or `always`: whether a user reviews a result before the model reads it. */
  readonly result: string;
  /**
   * `read`, `write`, `exclusive`, or `locks` if its arguments determine which calls it excludes.
   */
  readonly effects: string;
  /** Whether an administrator's rule decides about all calls. */
  readonly ruled: boolean;
  /** Whether an administrator's rule decides about calls with certain arguments. */
  readonly ruled_by_arguments: boolean;
}

export interface DescribedGroup extends Omit<ToolGroupView, "tools"> {
  readonly tools: readonly DescribedTool[];
}

/** Returns the groups with the switches and rules of the configuration applied. */
export function describeTools(
  groups: readonly ToolGroup[],
  configuration: Pick<Configuration, "groups" | "tools" | "rules">,
): readonly DescribedGroup[] {
  return groups.map((group) => ({
    name: group.name,
    object: "tool_group",
    title: group.title ?? group.name,
    description: group.description ?? "",
    default_enabled: configuration.groups[group.name] ?? isOnByDefault(group.name),
    tools: group.tools.map((tool) => describeTool(tool, group, configuration)),
  }));
}

function describeTool(
  tool: Tool,
  group: ToolGroup,
  { tools, rules }: Pick<Configuration, "tools" | "rules">,
): DescribedTool {
  const { name, description = "", parameters = {} } = tool.definition.function;
  const id = `${group.name}.${name}`;
  const call: RuledCall = { toolId: id, args: {}, ...(tool.asksUser && { asksUser: true }) };
  const always = rules.filter(({ when }) => when === undefined);
  const rule = executionRule(always, call);
  const reviewRule = resultRule(always, call);
  const sometimes = rules.flatMap(({ when, ...rest }) => (when === undefined ? [] : [rest]));
  const own = tool.permission?.executionPolicy ?? "ask-once";
  const ownPolicy = typeof own === "function" ? "depends" : own;
  return {
    id,
    name,
    description,
    parameters,
    default_enabled: tools[id] ?? true,
    always_offered: tool.alwaysOffered ?? false,
    // A denial by the tool itself overrides every rule.
    execution: ownPolicy === "deny" ? ownPolicy : (rule?.execution ?? ownPolicy),
    result: reviewRule?.result ?? tool.permission?.resultApprovalPolicy ?? "never",
    effects: effectsText(tool.effects ?? "write"),
    ruled: rule !== undefined || reviewRule !== undefined,
    ruled_by_arguments: isRuled(sometimes, call),
    unavailable:
      tool.unavailable === undefined
        ? null
        : { needs: tool.unavailable.needs, fix: tool.unavailable.fix ?? null },
  };
}

function isRuled(rules: readonly PolicyRule[], call: RuledCall): boolean {
  return executionRule(rules, call) !== undefined || resultRule(rules, call) !== undefined;
}

function effectsText(effects: ToolEffects): string {
  return typeof effects === "string" ? effects : "locks";
}

/** Formats the list of tools as text. */
export function renderTools(groups: readonly DescribedGroup[], style: Style): string {
  const rows = groups.map((group) => ({ group, lines: group.tools.map(columns) }));
  const all = rows.flatMap((row) => row.lines);
  const widths = [0, 1, 2].map((index) =>
    Math.max(0, ...all.map((line) => line[index]?.length ?? 0)),
  );
  return rows
    .map(({ group, lines }) => {
      const off = group.default_enabled ? "" : style.yellow(` (${texts.off})`);
      const title = group.title === group.name ? "" : style.dim(` · ${group.title}`);
      const tools = lines.map((line) =>
        `  ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd(),
      );
      return `${[`${style.bold(group.name)}${off}${title}`, ...tools].join("\n")}\n`;
    })
    .join("\n");
}

function columns(tool: DescribedTool): readonly string[] {
  const notes = [
    ...(tool.unavailable === null ? [] : [texts.needs(tool.unavailable.needs)]),
    ...(tool.default_enabled ? [] : [texts.off]),
    ...(tool.always_offered ? [texts.alwaysOffered] : []),
    ...(tool.result === "never" ? [] : [commandTexts.rules.result(tool.result)]),
    ...(tool.ruled ? [texts.byRule] : []),
    ...(tool.ruled_by_arguments ? [texts.otherRules] : []),
  ];
  return [tool.name, tool.execution, tool.effects, notes.join(", ")];
}
