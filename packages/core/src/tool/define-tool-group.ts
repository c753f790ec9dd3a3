import { CapstanError } from "../errors/capstan-error.ts";
import type { ToolGroup } from "./tool.ts";

/**
 * Makes a named set of tools.
 *
 * @throws CapstanError `invalid_tool_group` for a name that cannot be an id, or two tools of one name.
 */
export function defineToolGroup(group: ToolGroup): ToolGroup {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(group.name)) {
    throw new CapstanError({
      code: "invalid_tool_group",
      message: `The group name "${group.name}" does not fit ^[a-zA-Z0-9_-]{1,64}$. Use a short id here and put what people read into "title".`,
    });
  }
  const names = new Set<string>();
  for (const tool of group.tools) {
    const { name } = tool.definition.function;
    if (names.has(name)) {
      throw new CapstanError({
        code: "invalid_tool_group",
        message: `The group "${group.name}" has two tools named "${name}". Names are unique within a group.`,
      });
    }
    names.add(name);
  }
  return group;
}
