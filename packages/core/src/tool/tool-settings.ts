import { groupProblem, outputProblem } from "./registry.ts";
import type { Tool, ToolGroup } from "./tool.ts";

/** Properties of a tool that an installation can set, in place of the tool's own. */
export type ToolSettings = Pick<Tool, "final" | "hidden">;

/** The settings of an installation, by `group.Tool`. */
export interface SettingsByTool {
  readonly [toolId: string]: ToolSettings;
}

/** Groups with settings, so that each session registers the same objects. */
const known = new WeakMap<SettingsByTool, WeakMap<ToolGroup, ToolGroup>>();

/**
 * Returns a group whose tools have an installation's settings. A setting that a tool cannot have is
 * ignored: see `settingsProblem`.
 */
export function withToolSettings(group: ToolGroup, settings: SettingsByTool): ToolGroup {
  const ids = Object.keys(settings);
  if (!ids.some((id) => id.startsWith(`${group.name}.`))) return group;
  const byGroup = known.get(settings) ?? new WeakMap<ToolGroup, ToolGroup>();
  known.set(settings, byGroup);
  let changed = byGroup.get(group);
  if (changed === undefined) {
    changed = changedGroup(group, settings);
    byGroup.set(group, changed);
  }
  return changed;
}

function changedGroup(group: ToolGroup, settings: SettingsByTool): ToolGroup {
  // The registry rejects an invalid group.
  if (groupProblem(group) !== undefined) return group;
  const tools = group.tools.map((tool) => {
    const id = `${group.name}.${tool.definition.function.name}`;
    const own = Object.hasOwn(settings, id) ? settings[id] : undefined;
    return own === undefined || settingsProblem(tool, own) !== undefined
      ? tool
      : { ...tool, ...own };
  });
  return tools.every((tool, index) => tool === group.tools[index]) ? group : { ...group, tools };
}

/**
 * Returns why a tool cannot have these settings, or `undefined`. The text completes the sentence "The
 * tool cannot be changed: …".
 */
export function settingsProblem(tool: Tool, settings: ToolSettings): string | undefined {
  return outputProblem({ ...tool, ...settings });
}
