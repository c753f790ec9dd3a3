import type { Switches, ToolGroupView, ToolView } from "@capstan/contract";

export const noSwitches: Switches = { groups: {}, tools: {} };

/** Only own properties count: a group may be called `constructor`. */
function own(record: { readonly [key: string]: boolean }, key: string): boolean | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Whether a group is on: its switch, otherwise its default. */
export function isGroupOn(group: ToolGroupView, switches: Switches): boolean {
  return own(switches.groups, group.name) ?? group.default_enabled;
}

/** Whether a tool is on, if its group is on. An unavailable tool is off. */
export function isToolOn(tool: ToolView, switches: Switches): boolean {
  if (tool.unavailable !== null) return false;
  return tool.always_offered || (own(switches.tools, tool.id) ?? tool.default_enabled);
}

export function withGroup(switches: Switches, name: string, on: boolean): Switches {
  return { ...switches, groups: { ...switches.groups, [name]: on } };
}

export function withTool(switches: Switches, id: string, on: boolean): Switches {
  return { ...switches, tools: { ...switches.tools, [id]: on } };
}

/** The groups that a turn offers to the model. */
export function groupsOn(groups: readonly ToolGroupView[], switches: Switches): string[] {
  return groups.filter((group) => isGroupOn(group, switches)).map((group) => group.name);
}

/** The names of the tools that a turn offers. Some are offered if any group is on. */
export function toolNamesOn(groups: readonly ToolGroupView[], switches: Switches): Set<string> {
  const names = new Set<string>();
  const anyOn = groupsOn(groups, switches).length > 0;
  for (const group of groups) {
    const isOn = isGroupOn(group, switches);
    for (const tool of group.tools) {
      if (tool.unavailable !== null) continue;
      if (tool.always_offered ? anyOn : isOn && isToolOn(tool, switches)) names.add(tool.name);
    }
  }
  return names;
}
